// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/noise.hpp"

namespace cyclotome::io {

/// Whether a noise bound can stand in a file: a finite logarithm between "no noise" and far above every modulus, and a
/// number of factors that no computation with an exact result reaches.
inline bool storable(const rlwe::NoiseBound& noise) noexcept {
  // Not a number is on neither side.
  return noise.log2_deviation >= -1e9 && noise.log2_deviation <= 1e9 && noise.secret_factors <= 1U << 20;
}

}  // namespace cyclotome::io
