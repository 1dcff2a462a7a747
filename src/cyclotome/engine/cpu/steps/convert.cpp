// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/steps/convert.hpp"

#include <algorithm>

namespace cyclotome::cpu {

namespace {

/// Target limb j of the centred lift of a single limb, y.
template <LimbWord W>
void convert_single(const Kernels<W>& kernels, W* out, std::size_t j, const W* y, std::size_t width,
                    const BaseConversion& conversion) noexcept {
  const auto& tables = conversion.tables<W>();
  const Modulus<W>& source = conversion.source().moduli<W>()[0];
  const Modulus<W>& target = conversion.target().moduli<W>()[j];
  const W factor = tables.matrix[j];
  if (source.value() / 4 < target.value()) {
    kernels.move_centred(out, y, width, source.value(), target.value());
    if (factor != 1) kernels.scale(out, out, ShoupFactor<W>(factor, target.value()), width, target.value());
    return;
  }
  W wraps[conversion_tile];
  for (std::size_t at = 0; at < width; at += conversion_tile) {
    const std::size_t count = std::min(width - at, conversion_tile);
    const Tile<const W> tile{y + at, 0};
    kernels.count_wraps(wraps, count, tile, conversion, nullptr);
    kernels.weighted_sum(out + at, count, tile, {&factor, 1}, source.bits(), target, wraps, tables.negative_wraps[j]);
  }
}

/// Bits of the longest source modulus.
template <LimbWord W>
unsigned bits_of(const BaseConversion& conversion) noexcept {
  unsigned bits = 0;
  for (const auto& q : conversion.source().moduli<W>()) bits = std::max(bits, q.bits());
  return bits;
}

/// Whether all targets are sums over the source limbs.
bool sums_everything(const BaseConversion& conversion) noexcept {
  const bool moves = conversion.source().size() == 1 && conversion.lift() == Lift::centred;
  return !moves && std::ranges::none_of(conversion.copies(), [](int copy) { return copy >= 0; });
}

}  // namespace

template <LimbWord W>
void prepare_conversion(const Kernels<W>& kernels, Tile<W> y, W* wraps, Tile<const W> in, std::size_t width,
                        const BaseConversion& conversion, std::uint64_t* peak) noexcept {
  const auto source = conversion.source().moduli<W>();
  for (std::size_t i = 0; i < source.size(); ++i) {
    kernels.scale(y.limb(i), in.limb(i), conversion.tables<W>().punctured_inverses[i], width, source[i].value());
  }
  if (conversion.lift() == Lift::centred && source.size() > 1)
    kernels.count_wraps(wraps, width, constant(y), conversion, peak);
}

template <LimbWord W>
void convert_limb(const Kernels<W>& kernels, W* out, std::size_t j, Tile<const W> in, Tile<const W> y, const W* wraps,
                  std::size_t width, const BaseConversion& conversion) noexcept {
  const auto& tables = conversion.tables<W>();
  const auto source = conversion.source().moduli<W>();
  const Modulus<W>& target = conversion.target().moduli<W>()[j];
  if (const int copy = conversion.copies()[j]; copy >= 0) {
    const W* const from = in.limb(static_cast<std::size_t>(copy));
    if (tables.copy_factors[j].operand == 1) {
      std::copy(from, from + width, out);
    } else {
      kernels.scale(out, from, tables.copy_factors[j], width, target.value());
    }
    return;
  }
  if (source.size() == 1 && conversion.lift() == Lift::centred) {
    convert_single(kernels, out, j, y.data, width, conversion);
    return;
  }
  const std::size_t k = source.size();
  kernels.weighted_sum(out, width, y, {tables.matrix.data() + j * k, k}, bits_of<W>(conversion), target,
                       conversion.lift() == Lift::centred ? wraps : nullptr, tables.negative_wraps[j]);
}

template <LimbWord W>
std::optional<Move> move_of(std::size_t j, const BaseConversion& conversion) noexcept {
  const auto& tables = conversion.tables<W>();
  const std::uint64_t q = conversion.target()[j];
  if (const int copy = conversion.copies()[j]; copy >= 0) {
    if (tables.copy_factors[j].operand != 1) return std::nullopt;
    return Move{static_cast<std::size_t>(copy), false, q};
  }
  const bool moves = conversion.source().size() == 1 && conversion.lift() == Lift::centred && tables.matrix[j] == 1;
  if (!moves || conversion.source()[0] >= 2 * q) return std::nullopt;
  return Move{0, true, conversion.source()[0]};
}

template <LimbWord W>
void convert_tile(const Kernels<W>& kernels, Tile<W> out, Tile<const W> in, std::size_t width,
                  const BaseConversion& conversion, W* scratch, std::uint64_t* peak) noexcept {
  const Tile<W> y{scratch, conversion_tile};
  W* const wraps = y.limb(conversion.source().size());
  prepare_conversion(kernels, y, wraps, in, width, conversion, peak);
  const std::size_t targets = conversion.target().size();
  std::size_t j = 0;
  if (sums_everything(conversion) && kernels.weighted_sums != nullptr) {
    const auto& tables = conversion.tables<W>();
    const std::size_t limbs = conversion.source().size();
    for (; j + targets_at_once <= targets; j += targets_at_once) {
      kernels.weighted_sums(out.from(j), width, constant(y), limbs, tables.matrix.data() + j * limbs,
                            bits_of<W>(conversion), conversion.target().moduli<W>().data() + j,
                            conversion.lift() == Lift::centred ? wraps : nullptr, tables.negative_wraps.data() + j);
    }
  }
  for (; j < targets; ++j) {
    convert_limb(kernels, out.limb(j), j, in, constant(y), wraps, width, conversion);
  }
}

template std::optional<Move> move_of<std::uint32_t>(std::size_t, const BaseConversion&) noexcept;
template std::optional<Move> move_of<std::uint64_t>(std::size_t, const BaseConversion&) noexcept;
template void prepare_conversion(const Kernels<std::uint32_t>&, Tile<std::uint32_t>, std::uint32_t*,
                                 Tile<const std::uint32_t>, std::size_t, const BaseConversion&,
                                 std::uint64_t*) noexcept;
template void convert_limb(const Kernels<std::uint32_t>&, std::uint32_t*, std::size_t, Tile<const std::uint32_t>,
                           Tile<const std::uint32_t>, const std::uint32_t*, std::size_t,
                           const BaseConversion&) noexcept;
template void convert_tile(const Kernels<std::uint32_t>&, Tile<std::uint32_t>, Tile<const std::uint32_t>, std::size_t,
                           const BaseConversion&, std::uint32_t*, std::uint64_t*) noexcept;
template void prepare_conversion(const Kernels<std::uint64_t>&, Tile<std::uint64_t>, std::uint64_t*,
                                 Tile<const std::uint64_t>, std::size_t, const BaseConversion&,
                                 std::uint64_t*) noexcept;
template void convert_limb(const Kernels<std::uint64_t>&, std::uint64_t*, std::size_t, Tile<const std::uint64_t>,
                           Tile<const std::uint64_t>, const std::uint64_t*, std::size_t,
                           const BaseConversion&) noexcept;
template void convert_tile(const Kernels<std::uint64_t>&, Tile<std::uint64_t>, Tile<const std::uint64_t>, std::size_t,
                           const BaseConversion&, std::uint64_t*, std::uint64_t*) noexcept;

}  // namespace cyclotome::cpu
