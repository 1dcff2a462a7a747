// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "cyclotome/rlwe/noise.hpp"

// In BGV the bound is that of the whole phase m + t e, message included: products multiply phases, and a phase is
// divided as a whole when the modulus is switched.
namespace cyclotome::bgv {

using rlwe::NoiseBound;

/// What a message counts as: its largest canonical norm, n t/2, over sqrt(n), so that a product of worst-case messages
/// is covered.
inline double message_deviation(std::size_t degree, std::uint64_t plain_modulus) noexcept {
  return static_cast<double>(plain_modulus) / 2 * std::sqrt(static_cast<double>(degree));
}

/// log2 of the binomial coefficient (a + b over a), rounded up where it is large.
inline double log2_binomial(std::uint32_t a, std::uint32_t b) noexcept {
  const double low = a < b ? a : b, high = a < b ? b : a, all = low + high;
  if (low == 0) return 0;
  if (low > 64) return low * std::log2(all / low) + high * std::log2(all / high);
  double sum = 0;
  for (double i = 1; i <= low; ++i) sum += std::log2((high + i) / i);
  return sum;
}

/// Product of two phases: sqrt(n) nu_1 nu_2, and more for repeated factors: phases are made of j_1 and j_2 factors (s
/// among them), moments of powers grow as j! (see rlwe/noise.hpp), so the product's exceeds theirs by (j_1 + j_2)! over
/// j_1! j_2!.
inline NoiseBound product_noise(const NoiseBound& a, const NoiseBound& b, std::size_t degree) noexcept {
  constexpr std::uint32_t most = 1U << 19;  // nothing of so many factors decrypts
  const auto factors = [](const NoiseBound& x) {
    return x.secret_factors < 1 ? 1U : x.secret_factors < most ? x.secret_factors : most;
  };
  return {a.log2_deviation + b.log2_deviation + 0.5 * std::log2(static_cast<double>(degree)) +
              log2_binomial(factors(a), factors(b)),
          factors(a) + factors(b)};
}

/// After division by a prime: nu / q_l and the rounding, whose error is a multiple of t: t/sqrt(12) in each part, times
/// 1, s and s^2, of deviations 1, sqrt(2n/3) and sqrt(2) 2n/3 as factors. The rounding's error is fresh, so
/// correlations with earlier factors fade: the count of secret factors starts again where it dominates, in a square
/// too.
inline NoiseBound switched_noise(const NoiseBound& a, std::size_t degree, std::uint64_t plain_modulus,
                                 double log2_prime, std::size_t parts = 2) noexcept {
  const double scaled = a.log2_deviation - log2_prime, s = 2.0 / 3.0 * static_cast<double>(degree);
  double deviation = rlwe::rounding_deviation(degree);
  if (parts > 2) deviation += std::sqrt(2.0 / 12.0) * s;
  const double rounding = std::log2(static_cast<double>(plain_modulus) * deviation);
  const double next = scaled + 0.5 * log2_binomial(a.secret_factors, a.secret_factors);  // in the square of the result
  return {rlwe::log2_sum(scaled, rounding), next < rounding ? 1U : a.secret_factors};
}

/// Bits between a bound with its tail and q/2.
inline double headroom(double log2_q, const NoiseBound& noise) noexcept {
  return log2_q - 1 - std::log2(rlwe::tail_factor) - noise.log2_deviation;
}

}  // namespace cyclotome::bgv
