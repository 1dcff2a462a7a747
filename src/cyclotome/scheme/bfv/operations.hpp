// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"

namespace cyclotome::bfv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

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

}  // namespace cyclotome::bfv
