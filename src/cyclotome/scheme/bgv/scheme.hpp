// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::bgv {

class Context;

/// The scheme BGV (Brakerski, Gentry, Vaikuntanathan 2012): messages in the low digits of the phase, modulus switching.
const rlwe::Scheme& scheme();

/// Throws ParameterError if the parameters are not BGV's.
std::shared_ptr<const Context> make_context(const rlwe::Parameters& parameters, const std::shared_ptr<Engine>& engine);
/// The BGV context behind a key, plaintext or ciphertext. Throws MismatchError if it is another scheme's.
const Context& bgv_context(const std::shared_ptr<const rlwe::Context>& context);

}  // namespace cyclotome::bgv
