// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::bgv {

/// The scheme BGV (Brakerski, Gentry, Vaikuntanathan 2012): messages in the low digits of the phase, modulus switching.
const rlwe::Scheme& scheme();

}  // namespace cyclotome::bgv
