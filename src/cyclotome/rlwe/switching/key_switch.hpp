// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/rlwe/noise/noise.hpp"

namespace cyclotome::rlwe {

/// What the errors of keys, and of the results of key switching and encryption, are multiples of: 1 in BFV, the
/// plaintext modulus t in BGV. Keys that serve several plaintext moduli have errors of their own size; what they make
/// is multiplied by t afterwards, after the key switch's operand was divided by it, so that no other modulus is paid
/// for.
struct ErrorMultiples {
  std::uint64_t of_keys = 1, of_results = 1;
  /// What results are multiplied by; 1 where keys have it in them.
  std::uint64_t factor() const noexcept { return of_keys == of_results ? 1 : of_results; }
};

/// Key switching from a target w to the secret s (specification 5.7): ciphertext primes are split into digits of
/// `per_digit` primes with products D_j; key j hides P g_j w with g_j = 1 modulo the primes of digit j and 0 modulo the
/// others, so that
///   sum over j of [c]_{D_j} key_j  is an encryption of P c w, which is divided by P with rounding.
/// Without special primes (P = 1, one prime a digit) this is the gadget of BEHZ and paper 000 with digits [c]_{q_i} in
/// place of [c (q/q_i)^-1]_{q_i}: the constant sits in the key instead, which costs nothing and adds no other noise.
class KeySwitch {
 public:
  /// ciphertext_ring: the primes present, a prefix of all; special: ring of the special primes, or null. multiples:
  /// what errors are multiples of. noise: what one switch adds; relinearization_noise: by a relinearisation key.
  KeySwitch(const RingPtr& ciphertext_ring, const RingPtr& special_ring, std::size_t per_digit,
            const ErrorMultiples& multiples, const NoiseBound& noise, const NoiseBound& relinearization_noise);

  std::size_t digits() const noexcept { return constants_.digits.size(); }
  const RingPtr& key_ring() const noexcept { return constants_.key_ring; }
  const KeySwitchConstants& constants() const noexcept { return constants_; }
  /// What the operand is multiplied by before, and the result where no division takes it up; empty for 1.
  const std::vector<std::uint64_t>& inverse_factors() const noexcept { return inverse_factors_; }
  const std::vector<std::uint64_t>& late_factors() const noexcept { return late_factors_; }

  /// Factors P g_j modulo every prime of PQ.
  std::vector<std::uint64_t> gadget_factors(std::size_t digit) const;

  /// The error that one switch adds, and that relinearisation does.
  const NoiseBound& noise() const noexcept { return noise_; }
  const NoiseBound& relinearization_noise() const noexcept { return relinearization_noise_; }

  /// Bytes of scratch for one batch item.
  std::size_t scratch_bytes() const noexcept;

 private:
  KeySwitchConstants constants_;
  std::vector<std::uint64_t> inverse_factors_;  // of results' factor, by prime; empty for 1
  std::vector<std::uint64_t> late_factors_;     // that factor, if there is no division to take it up
  NoiseBound noise_, relinearization_noise_;
};

}  // namespace cyclotome::rlwe
