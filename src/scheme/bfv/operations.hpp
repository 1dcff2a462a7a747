// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/operations.hpp"

namespace cyclotome::bfv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

/// Product of ciphertexts of 2 parts, 3 parts, not relinearised (specification 5.5, BEHZ; papers 000 and 003). Batches
/// must be equal or 1 (broadcast). Cost for each item: lifts and transforms of both operands over Q and B_sk, one
/// tensor product, one scaling.
Ciphertext multiply(const Ciphertext& a, const Ciphertext& b);
/// multiply(a, a), with one lift.
Ciphertext square(const Ciphertext& a);

/// a + round(q b / t), and a - round(q b / t).
Ciphertext add_plain(const Ciphertext& a, const Plaintext& b);
Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b);

/// The bound of a product's noise, from those of its factors: what `multiply` attaches and what `suggest` plans with.
rlwe::NoiseBound product_noise(const rlwe::NoiseBound& a, const rlwe::NoiseBound& b, std::size_t degree,
                               std::uint64_t plain_modulus, std::size_t limbs, double log2_q);

}  // namespace cyclotome::bfv
