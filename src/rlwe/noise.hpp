// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "cyclotome/ring/sampling.hpp"

namespace cyclotome::rlwe {

/// A public upper bound on the noise of a ciphertext, made from public numbers only.
///
/// It bounds the standard deviation of a coefficient of the phase's absolute error (integers modulo q), so that
///   - sums add deviations (never their squares: the operands may be the same ciphertext),
///   - a plaintext factor counts with its largest magnitude on the roots of unity, which bounds every case,
///   - a ciphertext factor counts with the deviation of its quotient by q, times secret_factors + 1: powers of one
///   value on the
///     roots of unity are correlated, E|z|^(2j) = j! (E|z|^2)^j for a Gaussian z, and a chain x * x * ... repeats both
///     the secret and the quotient.
/// Decryption asks for `tail_factor` deviations: a Gaussian exceeds 14 with probability below 2^-140 for each
/// coefficient. Deviations of products are average-case figures, not worst-case ones; the tests compare them with
/// measured noise.
struct NoiseBound {
  double log2_deviation = -1e9;      ///< log2 of the deviation; -1e9 for no noise at all
  std::uint32_t secret_factors = 0;  ///< j: how many factors s the error is made of at most
};

inline constexpr double tail_factor = 14.0;

/// log2(2^a + 2^b).
inline double log2_sum(double a, double b) noexcept {
  const double high = a > b ? a : b, low = a > b ? b : a;
  return high - low > 1000 ? high : high + std::log2(1.0 + std::exp2(low - high));
}

inline NoiseBound sum(const NoiseBound& a, const NoiseBound& b) noexcept {
  return {log2_sum(a.log2_deviation, b.log2_deviation),
          a.secret_factors > b.secret_factors ? a.secret_factors : b.secret_factors};
}

/// The bound after multiplication by something whose canonical norm is at most `factor`.
inline NoiseBound scaled(const NoiseBound& a, double factor) noexcept {
  return {a.log2_deviation + std::log2(factor), a.secret_factors};
}

/// sum plus an independent or dependent error of this deviation.
inline NoiseBound with_error(const NoiseBound& a, double deviation) noexcept {
  return sum(a, {std::log2(deviation), a.secret_factors});
}

/// Deviation of the error that rounding each part of a two-part ciphertext leaves: sqrt((1 + 2n/3)/12) for a ternary
/// secret.
inline double rounding_deviation(std::size_t degree) noexcept {
  return std::sqrt((1.0 + 2.0 * static_cast<double>(degree) / 3.0) / 12.0);
}

/// Fresh public-key encryption: e u + e_0 + e_1 s divided by `special` (1: no special prime) with rounding
/// (specification 5.3).
/// error_multiplier, preserved: as for key_switch_deviation.
inline NoiseBound public_key_noise(std::size_t degree, double special, double error_multiplier = 1,
                                   double preserved = 1) noexcept {
  const double raw = error_multiplier * error_deviation * std::sqrt(1 + 4 * static_cast<double>(degree) / 3);
  return {std::log2(special == 1.0 ? raw : raw / special + preserved * rounding_deviation(degree)), 1};
}

/// Deviation of the error that one key switch adds (specification 5.7): sqrt(sum over digits of n D_j^2/12 sigma^2)/P
/// and the rounding /// by P. log2_digits: log2 D_j; log2_special: log2 P, 0 for none; error_multiplier: what the key's
/// errors carry (BGV), and preserved: the plaintext modulus that the division by P keeps (BGV), else 1.
double key_switch_deviation(std::size_t degree, std::span<const double> log2_digits, double log2_special,
                            double error_multiplier = 1, double preserved = 1) noexcept;

/// The largest |m(zeta)| over the primitive 2n-th roots of unity zeta (the canonical norm), at most 1e-9 too large and
/// never too small beyond rounding; coefficients: n signed integers, n a power of two.
double canonical_norm(std::span<const std::int64_t> coefficients);

}  // namespace cyclotome::rlwe
