// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/convert.hpp"

#include <algorithm>

namespace cyclotome::cpu {

template <LimbWord W>
void convert_tile(const Kernels<W>& kernels, Tile<W> out, Tile<const W> in, std::size_t width,
                  const BaseConversion& conversion, W* scratch) noexcept {
  const auto& tables = conversion.tables<W>();
  const auto source = conversion.source().moduli<W>();
  const auto target = conversion.target().moduli<W>();
  const std::size_t k = source.size();
  const Tile<W> y{scratch, conversion_tile};
  unsigned y_bits = 0;
  for (std::size_t i = 0; i < k; ++i) {
    kernels.scale(y.limb(i), in.limb(i), tables.punctured_inverses[i], width, source[i].value());
    y_bits = std::max(y_bits, source[i].bits());
  }
  W* wraps = nullptr;
  if (conversion.lift() == Lift::centred) {
    wraps = y.limb(k);
    kernels.count_wraps(wraps, width, constant(y), conversion);
  }
  for (std::size_t j = 0; j < target.size(); ++j) {
    if (const int copy = conversion.copies()[j]; copy >= 0) {
      kernels.scale(out.limb(j), in.limb(static_cast<std::size_t>(copy)), tables.copy_factors[j], width,
                    target[j].value());
    } else {
      kernels.weighted_sum(out.limb(j), width, constant(y), {tables.matrix.data() + j * k, k}, y_bits, target[j], wraps,
                           tables.negative_wraps[j]);
    }
  }
}

template void convert_tile(const Kernels<std::uint32_t>&, Tile<std::uint32_t>, Tile<const std::uint32_t>, std::size_t,
                           const BaseConversion&, std::uint32_t*) noexcept;
template void convert_tile(const Kernels<std::uint64_t>&, Tile<std::uint64_t>, Tile<const std::uint64_t>, std::size_t,
                           const BaseConversion&, std::uint64_t*) noexcept;

}  // namespace cyclotome::cpu
