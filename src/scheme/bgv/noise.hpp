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

/// Product of two phases: sqrt(n) nu_1 nu_2, times secret_factors + 1 for repeated factors (see rlwe/noise.hpp).
inline NoiseBound product_noise(const NoiseBound& a, const NoiseBound& b, std::size_t degree) noexcept {
  const std::uint32_t factors = (a.secret_factors > b.secret_factors ? a.secret_factors : b.secret_factors) + 1;
  return {a.log2_deviation + b.log2_deviation + 0.5 * std::log2(static_cast<double>(degree)) +
              std::log2(static_cast<double>(factors) + 1),
          factors};
}

/// After division by a prime: nu / q_l and the rounding, whose error is a multiple of t: t/sqrt(12) in each part, times
/// 1, s and s^2, of deviations 1, sqrt(2n/3) and sqrt(2) 2n/3 as factors. The rounding's error is fresh, so
/// correlations with earlier factors fade: the count of secret factors starts again where it dominates.
inline NoiseBound switched_noise(const NoiseBound& a, std::size_t degree, std::uint64_t plain_modulus,
                                 double log2_prime, std::size_t parts = 2) noexcept {
  const double scaled = a.log2_deviation - log2_prime, s = 2.0 / 3.0 * static_cast<double>(degree);
  double deviation = rlwe::rounding_deviation(degree);
  if (parts > 2) deviation += std::sqrt(2.0 / 12.0) * s;
  const double rounding = std::log2(static_cast<double>(plain_modulus) * deviation);
  return {rlwe::log2_sum(scaled, rounding), scaled < rounding ? 1U : a.secret_factors};
}

/// Bits between a bound with its tail and q/2.
inline double headroom(double log2_q, const NoiseBound& noise) noexcept {
  return log2_q - 1 - std::log2(rlwe::tail_factor) - noise.log2_deviation;
}

}  // namespace cyclotome::bgv
