// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cyclotome/retrieval/lattice.hpp"

namespace cyclotome::retrieval {

/// n x n residues of one prime, row-major, n the degree.
using Grid = std::vector<std::uint32_t>;

/// Rows become columns, in squares that fit the cache.
inline void transpose(Grid& grid) {
  constexpr std::size_t n = degree, square = 32;
  for (std::size_t r = 0; r < n; r += square) {
    for (std::size_t c = r; c < n; c += square) {
      for (std::size_t i = r; i < r + square; ++i) {
        for (std::size_t j = std::max(c, c == r ? i + 1 : c); j < c + square; ++j) {
          std::swap(grid[i * n + j], grid[j * n + i]);
        }
      }
    }
  }
}

/// Every row transformed modulo the one prime of `ring`, forward or back.
inline void transform_rows(const EnginePtr& engine, const RingPtr& ring, Grid& grid, bool forward) {
  PolyArray rows(engine, ring, degree, 1, forward ? Domain::coefficient : Domain::transform);
  rows.upload(grid.data());
  if (forward) {
    rows.to_transform();
  } else {
    rows.to_coefficient();
  }
  rows.download(grid.data());
}

/// exponent[slot]: which power of zeta a slot of a transform is the value at.
inline std::vector<std::uint32_t> slot_exponents(const GaloisGroup& group) {
  std::vector<std::uint32_t> exponents(degree);
  for (std::uint32_t e = 1; e < group.index(); e += 2) exponents[group.slot(e)] = e;
  return exponents;
}

}  // namespace cyclotome::retrieval
