// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cyclotome/ring/base_conversion.hpp"

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
};

/// sum of count products x[i][c] * factors[i], reduced by `modulus`, plus extra[c] * extra_factor; for c < width.
/// `lazy_terms` products fit the double word. out may be any memory that is not read here.
template <LimbWord W>
void weighted_sum(W* out, std::size_t width, Tile<const W> x, std::span<const W> factors, const Modulus<W>& modulus,
                  std::size_t lazy_terms, const W* extra = nullptr, W extra_factor = 0) noexcept;

/// Converts `width` <= conversion_tile coefficients. `scratch`: room for (source limbs + 1) * conversion_tile words.
template <LimbWord W>
void convert_tile(Tile<W> out, Tile<const W> in, std::size_t width, const BaseConversion& conversion, W* scratch) noexcept;

}  // namespace cyclotome::cpu
