// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cyclotome/ring/key_switch_step.hpp"

namespace cyclotome::rlwe {

/// Key switching from a target w to the secret s (specification 5.7): ciphertext primes are split into digits of
/// `per_digit` primes with products D_j; key j hides P g_j w with g_j = 1 modulo the primes of digit j and 0 modulo the
/// others, so that
///   sum over j of [c]_{D_j} key_j  is an encryption of P c w, which is divided by P with rounding.
/// Without special primes (P = 1, one prime a digit) this is the gadget of BEHZ and paper 000 with digits [c]_{q_i} in
/// place of [c (q/q_i)^-1]_{q_i}: the constant sits in the key instead, which costs nothing and adds no other noise.
class KeySwitch {
 public:
  /// ciphertext_ring: the primes present, a prefix of all; special: ring of the special primes, or null. preserved: the
  /// plaintext modulus that the division by P keeps the result correct for (BGV), or 1. error_multiplier: what key
  /// errors carry (BGV).
  KeySwitch(const RingPtr& ciphertext_ring, const RingPtr& special_ring, std::size_t per_digit,
            std::uint64_t preserved = 1, double error_multiplier = 1);

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
  PolyArray extend(Engine& engine, ConstView c) const { return extended_digits(engine, c, step_); }
  /// products[i] (over PQ, 2 parts, transform domain) = sum over j of extended.part(j)(x^elements[i]) times digit j of
  /// keys[i]; a few limbs at a time for all elements, so that what is turned stays in fast memory.
  void multiply_turned(std::span<PolyArray> products, const PolyArray& extended,
                       std::span<const std::uint64_t> elements, std::span<const PolyArray* const> keys) const;
  /// out = round(product / P), product being used up: after multiply_turned, the last part of `apply`.
  void divide(View out, PolyArray& product) const { divide_product(*product.engine(), out, product, step_); }

  /// Factors P g_j modulo every prime of PQ.
  std::vector<std::uint64_t> gadget_factors(std::size_t digit) const;

  /// Deviation of the error that one switch adds: sqrt(sum n D_j^2/12 sigma^2)/P, and the rounding by P.
  double noise_deviation() const noexcept { return noise_deviation_; }

  /// Bytes of scratch for one batch item.
  std::size_t scratch_bytes() const noexcept;

 private:
  /// What is present of a key for all primes.
  ConstView present(ConstView key) const;

  KeySwitchStep step_;
  double noise_deviation_ = 0;
};

}  // namespace cyclotome::rlwe
