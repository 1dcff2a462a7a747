// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/engine/cpu/kernels.hpp"

namespace cyclotome::cpu {

/// The part of a conversion that all target limbs share, for `width` <= conversion_tile coefficients: y[i] = [f_i x_i
/// (q/q_i)^-1]_{q_i}, and for the centred lift of several limbs how often the sum of y[i] q/q_i wraps q (`wraps` is not
/// touched otherwise). peak: as count_wraps takes it. y may be `in`.
template <LimbWord W>
void prepare_conversion(const Kernels<W>& kernels, Tile<W> y, W* wraps, Tile<const W> in, std::size_t width,
                        const BaseConversion& conversion, std::uint64_t* peak = nullptr) noexcept;

/// Target limb j of a conversion of `in` from what prepare_conversion found, for any number of coefficients. `out` must
/// not be read here.
template <LimbWord W>
void convert_limb(const Kernels<W>& kernels, W* out, std::size_t j, Tile<const W> in, Tile<const W> y, const W* wraps,
                  std::size_t width, const BaseConversion& conversion) noexcept;

/// What convert_limb does to the words of one limb, if it is no more than to move them by a centred lift (Kernels'
/// forward_moved): the limb of `in`, or else of y, and its modulus.
struct Move {
  std::size_t limb;
  bool prepared;  // of y
  std::uint64_t from;
};
template <LimbWord W>
std::optional<Move> move_of(std::size_t j, const BaseConversion& conversion) noexcept;

/// Converts `width` <= conversion_tile coefficients. `scratch`: room for (source limbs + 1) * conversion_tile words.
/// `out` must not be `in`.
template <LimbWord W>
void convert_tile(const Kernels<W>& kernels, Tile<W> out, Tile<const W> in, std::size_t width,
                  const BaseConversion& conversion, W* scratch, std::uint64_t* peak = nullptr) noexcept;

}  // namespace cyclotome::cpu
