// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::ckks {

class Context;

/// The scheme CKKS (Cheon, Kim, Kim, Song 2017): real and complex numbers, each with an error that is bounded.
const rlwe::Scheme& scheme();

/// Throws ParameterError if the parameters are not CKKS's.
std::shared_ptr<const Context> make_context(const rlwe::Parameters& parameters, const std::shared_ptr<Engine>& engine);
/// The context behind a key, plaintext or ciphertext. Throws MismatchError if it is another scheme's.
const Context& ckks_context(const std::shared_ptr<const rlwe::Context>& context);

}  // namespace cyclotome::ckks
