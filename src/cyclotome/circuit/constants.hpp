// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"

namespace cyclotome::circuit {

/// The plaintext that has `value` modulo the first plaintext modulus in every slot: a constant polynomial.
rlwe::Plaintext constant_polynomial(const rlwe::ContextPtr& context, std::int64_t value);

}  // namespace cyclotome::circuit
