// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/keys.hpp"

// LTV/DHS (specification 2.2). Operands have one set of parameters, one key and one level, else MismatchError names
// both and the way out. Results carry the estimate of their noise.
namespace cyclotome::study::ltv {

/// h s + 2 e + b at a level. bits: n of them, 0 or 1 (RangeError).
Ciphertext encrypt(const Bits& bits, const PublicKey& key, std::size_t level = 0);
/// [f c]_q, centred in the normal basis, modulo 2 (erratum 002-4). Throws NoiseError where the estimate says that this
/// could be wrong, ContradictionError where the phase is larger than it says, MismatchError for another key.
Bits decrypt(const Ciphertext& ciphertext, const SecretKey& key);

/// What is really there, for who holds the key.
struct MeasuredPhase {
  double log2_mean_square;  ///< log2 V, to compare with Ciphertext::log2_phase
  double log2_largest;      ///< log2 of the largest coefficient in the normal basis
};
MeasuredPhase measure_phase(const Ciphertext& ciphertext, const SecretKey& key);

/// XOR of slots. Summands may be products that were not relinearised yet: one relinearisation then serves the sum.
Ciphertext add(const Ciphertext& a, const Ciphertext& b);
/// XOR with known bits.
Ciphertext add_plain(const Ciphertext& a, const Bits& bits);
/// AND with known bits, as polynomials modulo 2.
Ciphertext multiply_plain(const Ciphertext& a, const Bits& bits);
/// AND of slots, under f^2. Factors must be under f: relinearise first (ArgumentError).
Ciphertext multiply(const Ciphertext& a, const Ciphertext& b);
/// Under f again. The key is one of relinearisation; a ciphertext under f comes back as it is.
Ciphertext relinearize(const Ciphertext& a, const SwitchingKey& key);
/// One level further: divided by its last prime, noise too. ArgumentError at the last level.
Ciphertext switch_modulus(const Ciphertext& a);
/// At a later level by plain reduction, as q_i+1 divides q_i: noise stays as it is. For fresh encryptions that join in
/// later. ArgumentError for an earlier level or none.
Ciphertext reduce_to(const Ciphertext& a, std::size_t level);
/// Sum over digits of digit times key, 2n - 1 coefficients: MULADD and one INTT. a: n coefficients in the CRT domain.
Polynomial times_key(const Polynomial& a, const SwitchingKey& key);
/// Slots moved by x -> x^k; the key is that of k (MissingKeyError names it).
Ciphertext automorphism(const Ciphertext& a, const SwitchingKey& key);

}  // namespace cyclotome::study::ltv
