// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/polynomials/cyclotomic_polynomial.hpp"

namespace cyclotome::study::ltv {

/// What is known of a ciphertext's phase without the key.
struct Estimate {
  unsigned key_power = 1;
  double log2_phase = 0;  ///< log2 V of the phase under f^key_power
};

/// How large phases f c grow, in the canonical embedding: V is the mean of |a(zeta^u)|^2 over all u prime to m, which
/// no basis changes (specification 2.2; doc/ltv.md). Estimates for independent polynomials, not bounds; kept as log2 V.
/// Phases hold the message: decryption wants them below q/2.
class NoiseModel {
 public:
  explicit NoiseModel(const CyclotomicPolynomial& ring);

  /// V of f and of a ternary polynomial.
  double secret() const noexcept { return secret_; }
  /// f (h s + 2 e + b) = 2 g s + f (2 e + b).
  double fresh() const noexcept { return fresh_; }
  /// Of a phase under f^key_power: standard deviations add, as the two may depend on each other.
  static double sum(double log2_a, double log2_b) noexcept;
  /// Of a sum; a phase under f is seen under f^2 where the other one is.
  Estimate added(const Estimate& a, const Estimate& b) const noexcept;
  /// With a plain polynomial of this mean square over the embedding.
  Estimate with_plain(const Estimate& a, double mean_square) const noexcept;
  /// Both phases are multiples of f up to small terms, and the mean of |f|^4 is twice the square of that of |f|^2.
  static double product(double log2_a, double log2_b) noexcept { return log2_a + log2_b + 1; }
  /// A phase under f, seen under f^2.
  double raised(double log2_v) const noexcept { return log2_v + log2_secret_; }
  /// What switching keys adds: sum over digits of d (2 g s + 2 f e), digits uniform in [0, 2^w), the last one shorter.
  double key_switch(double log2_v, unsigned log2_q, unsigned window) const noexcept;
  /// After a division by p: V/p^2, and f^key_power times remainders uniform in (-1, 1).
  double switched(double log2_v, double log2_p, unsigned key_power) const noexcept;
  /// log2 of the largest coefficient in the normal basis that decryption reckons with: 14 standard deviations.
  double largest_coefficient(double log2_v) const noexcept;

 private:
  double degree_, ones_, ternary_, secret_, log2_secret_, fresh_, basis_;
};

}  // namespace cyclotome::study::ltv
