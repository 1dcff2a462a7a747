// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cyclotome::cpu {

/// Coefficients that conversions work on at a time: all limbs of a tile stay in the first-level cache.
inline constexpr std::size_t conversion_tile = 128;

/// A rectangle of residues: limb l, coefficient c at data[l * stride + c].
template <class W>
struct Tile {
  W* data;
  std::size_t stride;
  W* limb(std::size_t l) const noexcept { return data + l * stride; }
  Tile from(std::size_t l) const noexcept { return {data + l * stride, stride}; }
  /// Without the first `count` coefficients.
  Tile after(std::size_t count) const noexcept { return {data + count, stride}; }
};

template <class W>
Tile<const W> constant(Tile<W> tile) noexcept {
  return {tile.data, tile.stride};
}

}  // namespace cyclotome::cpu
