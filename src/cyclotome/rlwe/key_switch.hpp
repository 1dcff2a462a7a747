// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/key_switch_step.hpp"
#include "cyclotome/rlwe/noise.hpp"

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
  /// what errors are multiples of. noise: what one switch adds.
  KeySwitch(const RingPtr& ciphertext_ring, const RingPtr& special_ring, std::size_t per_digit,
            const ErrorMultiples& multiples, const NoiseBound& noise);

  std::size_t digits() const noexcept { return step_.digits.size(); }
  const RingPtr& key_ring() const noexcept { return step_.key_ring; }

  /// out (batch of c, 2 parts, over Q, in the domain it is tagged with) = addend (1 or 2 parts in that domain) plus an
  /// encryption of c w, from c (1 part, over Q, either domain) and key (digits of all primes as items, 2 parts, over PQ
  /// of all primes, transform domain), of which the digits and limbs that are present are used.
  void apply(Engine& engine, View out, ConstView c, ConstView key,
             const std::optional<ConstView>& addend = std::nullopt) const;
  /// out (2 parts) = c_0, c_1 plus c_2 switched, from c (3 parts) in the domain of out, a few items at a time.
  void relinearize(Engine& engine, View out, ConstView c, ConstView key) const;

  /// The digits of c (1 part, over Q, either domain) over PQ, transformed: digits() parts. The first half of `apply`;
  /// several keys can use it, and an automorphism of it is the digits of that automorphism of c (hoisting).
  PolyArray extend(Engine& engine, ConstView c) const;
  /// products[i] (over PQ, 2 parts, transform domain) = sum over j of extended.part(j)(x^elements[i]) times digit j of
  /// keys[i]; a few limbs at a time for all elements, so that what is turned stays in fast memory.
  void multiply_turned(std::span<PolyArray> products, const PolyArray& extended,
                       std::span<const std::uint64_t> elements, std::span<const PolyArray* const> keys) const;
  /// out = round(product / P), product being used up: after multiply_turned, the last part of `apply`.
  void divide(View out, PolyArray& product) const;

  /// Factors P g_j modulo every prime of PQ.
  std::vector<std::uint64_t> gadget_factors(std::size_t digit) const;

  /// The error that one switch adds.
  const NoiseBound& noise() const noexcept { return noise_; }

  /// Bytes of scratch for one batch item.
  std::size_t scratch_bytes() const noexcept;

 private:
  /// What is present of a key for all primes.
  ConstView present(ConstView key) const;
  /// c times the inverse of what results are multiplied by.
  PolyArray prepared(Engine& engine, ConstView c) const;

  KeySwitchStep step_;
  std::vector<std::uint64_t> inverse_factors_;  // of results' factor, by prime; empty for 1
  std::vector<std::uint64_t> late_factors_;     // that factor, if there is no division to take it up
  NoiseBound noise_;
};

}  // namespace cyclotome::rlwe
