// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/operations.hpp"

namespace cyclotome::bfv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

/// Ways to multiply; all decrypt to the same product, with noise that differs by about a bit.
enum class ProductMethod : std::uint8_t {
  behz,               ///< Bajard, Eynard, Hasan, Zucca: papers 000 and 003, specification 5.5
  hps_over_q,         ///< Halevi, Polyakov, Shoup in the form of Kim, Polyakov, Zucca: specification 5.6; fewer limbs
  hps_over_q_leveled  ///< the same in as few ciphertext primes as the operands' noise allows: the default
};

/// Product of ciphertexts of 2 parts: 3 parts, not relinearised. Batches must be equal or 1 (broadcast). Cost for each
/// item: both operands' lifts and transforms over Q and an auxiliary basis, one tensor product, one scaling.
Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, ProductMethod method = ProductMethod::hps_over_q_leveled);
/// multiply(a, a).
Ciphertext square(const Ciphertext& a, ProductMethod method = ProductMethod::hps_over_q_leveled);

/// relinearize(multiply(a, b)) and relinearize(square(a)), residue by residue, in one go: nothing in between is kept.
/// Throws MismatchError for keys of other parameters or another secret, MissingKeyError without relinearisation key.
Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys,
                                 ProductMethod method = ProductMethod::hps_over_q_leveled);
Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys,
                               ProductMethod method = ProductMethod::hps_over_q_leveled);

/// a + round(q b / t), and a - round(q b / t).
Ciphertext add_plain(const Ciphertext& a, const Plaintext& b);
Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b);

/// The bound of a product's noise, from those of its factors: what `multiply` attaches and what `suggest` plans with.
rlwe::NoiseBound product_noise(const rlwe::Parameters& parameters, std::size_t plain, const rlwe::NoiseBound& a,
                               const rlwe::NoiseBound& b, ProductMethod method = ProductMethod::hps_over_q_leveled);

}  // namespace cyclotome::bfv
