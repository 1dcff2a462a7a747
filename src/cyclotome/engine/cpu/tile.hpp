// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cyclotome::cpu {

/// Coefficients that conversions work on at a time: all limbs of a tile stay in the caches of a core, and a limb's run
/// of memory is long enough for the processor to fetch ahead.
inline constexpr std::size_t conversion_tile = 256;
/// The same for sums over parts or digits, which hold no scratch.
inline constexpr std::size_t product_tile = 1024;

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
