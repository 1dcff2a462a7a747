// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cpu/kernels.hpp"

namespace cyclotome::cpu {

/// Converts `width` <= conversion_tile coefficients. `scratch`: room for (source limbs + 1) * conversion_tile words.
/// `out` must not be `in`.
template <LimbWord W>
void convert_tile(const Kernels<W>& kernels, Tile<W> out, Tile<const W> in, std::size_t width,
                  const BaseConversion& conversion, W* scratch) noexcept;

}  // namespace cyclotome::cpu
