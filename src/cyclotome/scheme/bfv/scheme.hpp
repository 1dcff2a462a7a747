// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::bfv {

class Context;

/// The scheme BFV (Brakerski 2012; Fan and Vercauteren 2012): messages in the high digits of the phase.
const rlwe::Scheme& scheme();

/// Throws ParameterError if the parameters are not BFV's.
std::shared_ptr<const Context> make_context(const rlwe::Parameters& parameters, const std::shared_ptr<Engine>& engine);
/// The BFV context behind a key, plaintext or ciphertext. Throws MismatchError if it is another scheme's.
const Context& bfv_context(const std::shared_ptr<const rlwe::Context>& context);

}  // namespace cyclotome::bfv
