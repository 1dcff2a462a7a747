// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/noise/noise.hpp"

namespace cyclotome::io {

/// Whether a noise bound can stand in a file: logarithms between "no noise" and far above every modulus.
inline bool storable(const rlwe::NoiseBound& noise) noexcept {
  const auto sane = [](double x) { return x >= -1e9 && x <= 1e9; };  // false for NaN
  return sane(noise.log2_max) && sane(noise.log2_rms) && sane(noise.log2_canonical);
}

/// A bound in place of what format version 1 stated, a standard deviation for random operands. No theorem stands behind
/// it: the 8 bits added are more than the noise of such products was found to be off by, and decryption looks at the
/// noise itself.
inline rlwe::NoiseBound from_deviation(const rlwe::NoiseCalculus& calculus, double log2_deviation) {
  constexpr double margin = 8;
  const double log2_tail = std::log2(14.0);
  return calculus.tidy(
      {log2_deviation + log2_tail + margin, log2_deviation + margin, log2_deviation + log2_tail + margin});
}

}  // namespace cyclotome::io
