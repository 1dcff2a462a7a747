// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/rlwe/noise/canonical_embedding.hpp"

namespace cyclotome::rlwe {

/// A public upper bound on the error e of a ciphertext, as base-2 logarithms of three norms: made from public numbers
/// only, for every program, however its operands depend on each other (doc/noise.md has the theorem).
///
/// e is the phase's distance from (q/t) m in BFV, and the whole phase m + t e in BGV: a polynomial with rational
/// coefficients.
struct NoiseBound {
  double log2_max = -1e9;        ///< max |e_i|: what decryption compares with its limit
  double log2_rms = -1e9;        ///< sqrt(sum over roots of |e(zeta)|^2) / n; in x^n + 1 sqrt(sum of e_i^2 / n)
  double log2_canonical = -1e9;  ///< max over roots of unity |e(zeta)| / sqrt(n)
  bool operator==(const NoiseBound&) const = default;
};

/// The larger of each number: for a batch of both.
inline NoiseBound larger(const NoiseBound& a, const NoiseBound& b) noexcept {
  return {a.log2_max > b.log2_max ? a.log2_max : b.log2_max, a.log2_rms > b.log2_rms ? a.log2_rms : b.log2_rms,
          a.log2_canonical > b.log2_canonical ? a.log2_canonical : b.log2_canonical};
}

/// log2(2^a + 2^b).
inline double log2_sum(double a, double b) noexcept {
  const double high = a > b ? a : b, low = a > b ? b : a;
  return high - low > 1000 ? high : high + std::log2(1.0 + std::exp2(low - high));
}

/// Bounds of one ring: how they grow, and those of everything that is drawn or rounded ("atoms").
///
/// Nothing here takes operands to be independent: they may be equal, conjugate, or chosen after looking at all
/// ciphertexts. Probability enters where an atom is drawn, once. Used of the ring: its BasisGeometry, of which with
/// d = dual and g = gram: max <= sqrt(d n) rms, rms <= sqrt(g) max and rms <= canonical <= sqrt(n/2) rms; a coefficient
/// of a product is at most d n rms(a) rms(b); all three norms are unchanged by automorphisms and obey the triangle
/// inequality. In x^n + 1 d = g = 1.
class NoiseCalculus {
 public:
  /// strict: rounding errors of every part count with their worst canonical norm, not of part 0 alone, so that programs
  /// with several products on a path need no assumption; see doc/noise.md.
  /// parties: secrets of which the keys' is the sum at most; the public key's and the switching keys' errors are sums,
  /// too.
  explicit NoiseCalculus(const RingShape& ring, bool strict = false, std::size_t parties = 1);

  std::size_t degree() const noexcept { return degree_; }
  bool strict() const noexcept { return strict_; }
  std::size_t parties() const noexcept { return parties_; }

  // --- calculus ------------------------------------------------------------------------------------------------------
  /// From the norms themselves.
  NoiseBound bound(double max, double rms, double canonical) const noexcept;
  /// Each number lowered to what the others allow.
  NoiseBound tidy(NoiseBound a) const noexcept;
  /// Of a + b; also the difference.
  NoiseBound sum(const NoiseBound& a, const NoiseBound& b) const noexcept;
  /// Of a times the number 2^log2_factor.
  static NoiseBound scaled(const NoiseBound& a, double log2_factor) noexcept;
  /// Of a times an integer; 0 counts as 1.
  static NoiseBound times(const NoiseBound& a, double factor) noexcept;
  /// Of the polynomials' product.
  NoiseBound product(const NoiseBound& a, const NoiseBound& b) const noexcept;
  /// Of a times a plaintext polynomial.
  NoiseBound times_plain(const NoiseBound& a, const PlainNorms& factor) const noexcept;

  // --- atoms ---------------------------------------------------------------------------------------------------------
  /// Anything with coefficients up to `max`, chosen by whoever wants the worst.
  NoiseBound chosen(double max) const noexcept;
  /// A secret key that passed KeyCheck, or the sum of all parties'.
  NoiseBound secret() const noexcept { return secret_; }
  /// What rounding the coefficients of a part that s or s^2 multiplies to integers leaves, by assumption (R).
  NoiseBound rounding_of_polynomial() const noexcept { return rounding_; }
  /// What rounding `parts` parts of a ciphertext leaves in its phase: at worst of the first, this times s, s^2.
  NoiseBound rounding_of_ciphertext(std::size_t parts = 2) const noexcept { return rounded_parts(rounding_, parts); }
  /// The same where each rounding may be off by `units` coefficients' units instead of a half, in whatever way.
  NoiseBound loose_rounding_of_ciphertext(double units, std::size_t parts) const noexcept;
  /// Error of a symmetric encryption.
  NoiseBound drawn_error() const noexcept { return drawn_error_; }
  /// Error of one digit's switching key: drawn once by each party.
  NoiseBound switching_key_error() const noexcept { return switching_key_error_; }
  /// Of a relinearisation key: with several parties e_2 + s e_0 + u e_1, u as s, which its two rounds leave.
  NoiseBound relinearization_key_error() const noexcept { return relinearization_key_error_; }
  /// e u + e_0 + e_1 s of an encryption under a public key whose error e, of each party, passed KeyCheck.
  NoiseBound public_key_encryption() const noexcept { return public_key_encryption_; }

  // --- sums of atoms -------------------------------------------------------------------------------------------------
  /// A public-key encryption of zero: the above, divided by a special prime (log2_special; 0: there is none) with
  /// rounding. multiplier: what the result's errors are multiples of, t in BGV, else 1.
  NoiseBound public_zero(double log2_special, double multiplier) const noexcept;
  /// An encryption of zero under the secret key.
  NoiseBound symmetric_zero(double multiplier) const noexcept;
  /// What one key switch adds (specification 5.7): sum over digits of d_j y_j D_j/P and the rounding by P. log2_digits:
  /// log2 D_j; log2_special: log2 P, 0 for none; multiplier as above. error:
  /// y_j, one of the above.
  NoiseBound key_switch(std::span<const double> log2_digits, double log2_special, double multiplier,
                        const NoiseBound& error) const noexcept;

 private:
  NoiseBound rounded_parts(const NoiseBound& part, std::size_t parts) const noexcept;
  NoiseBound make_rounding() const noexcept;
  NoiseBound make_drawn_error(double count) const noexcept;
  NoiseBound make_public_key_encryption() const noexcept;

  std::size_t degree_;
  bool strict_;
  std::size_t parties_;
  BasisGeometry basis_;
  double draws_, terms_;  // of the ring's errors: numbers drawn over n, and how many a coefficient sums
  double n_, log2_n_, log2_dual_, log2_gram_, real_tail_, complex_tail_, check_;
  NoiseBound secret_, rounding_, drawn_error_, switching_key_error_, relinearization_key_error_, public_key_encryption_;
};

/// Probabilities: 2^-128 over 2^40 atoms.
inline constexpr double noise_exponent = 168;

/// kappa of the check that keys pass when they are made: |a(zeta)|^2 <= n Var kappa^2.
double key_check_factor(std::size_t degree) noexcept;
/// A secret has at most this times n^2 as the sum of its |s(zeta)|^2 (in x^n + 1: at most this part of its coefficients
/// not 0), and a public key's error at most this many times its expected one.
inline constexpr double most_secret_weight = 0.7, most_error_square = 1.21;

}  // namespace cyclotome::rlwe
