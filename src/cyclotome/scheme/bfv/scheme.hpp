// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::bfv {

/// The scheme BFV (Brakerski 2012; Fan and Vercauteren 2012): messages in the high digits of the phase.
const rlwe::Scheme& scheme();

}  // namespace cyclotome::bfv
