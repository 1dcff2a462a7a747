// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/convert.hpp"

#include <algorithm>

namespace cyclotome::cpu {

template <LimbWord W>
void weighted_sum(W* out, std::size_t width, Tile<const W> x, std::span<const W> factors, const Modulus<W>& modulus,
                  std::size_t lazy_terms, const W* extra, W extra_factor) noexcept {
  // A reduced sum counts as one more term, and the extra product as another.
  const std::size_t step = std::max<std::size_t>(lazy_terms > 2 ? lazy_terms - 2 : 1, 1);
  Wide<W> sums[conversion_tile];
  for (std::size_t c = 0; c < width; ++c) {
    sums[c] = extra == nullptr ? Wide<W>{0} : static_cast<Wide<W>>(static_cast<Wide<W>>(extra[c]) * extra_factor);
  }
  for (std::size_t first = 0; first < factors.size(); first += step) {
    const std::size_t last = std::min(factors.size(), first + step);
    if (first != 0) {
      for (std::size_t c = 0; c < width; ++c) sums[c] = modulus.reduce_wide(sums[c]);
    }
    if constexpr (sizeof(W) == 4) {
      for (std::size_t i = first; i < last; ++i) {
        const W* const row = x.limb(i);
        const Wide<W> factor = factors[i];
        for (std::size_t c = 0; c < width; ++c) sums[c] += row[c] * factor;
      }
    } else {
      for (std::size_t c = 0; c < width; ++c) {
        Wide<W> sum = sums[c];
        for (std::size_t i = first; i < last; ++i) sum += static_cast<Wide<W>>(x.limb(i)[c]) * factors[i];
        sums[c] = sum;
      }
    }
  }
  for (std::size_t c = 0; c < width; ++c) out[c] = modulus.reduce_wide(sums[c]);
}

template <LimbWord W>
void convert_tile(Tile<W> out, Tile<const W> in, std::size_t width, const BaseConversion& conversion, W* scratch) noexcept {
  const auto& tables = conversion.tables<W>();
  const Basis& source = conversion.source();
  const Basis& target = conversion.target();
  const auto moduli = target.moduli<W>();
  const std::size_t k = source.size();
  const Tile<W> y{scratch, conversion_tile};
  for (std::size_t i = 0; i < k; ++i) {
    const W q = static_cast<W>(source[i]);
    for (std::size_t c = 0; c < width; ++c) y.limb(i)[c] = tables.punctured_inverses[i].multiply(in.limb(i)[c], q);
  }
  const W* wraps = nullptr;
  if (conversion.lift() == Lift::centred) {
    W* const v = y.limb(k);
    if (k == 1) {
      const W q = static_cast<W>(source[0]);
      for (std::size_t c = 0; c < width; ++c) v[c] = static_cast<W>(y.limb(0)[c] >= q - y.limb(0)[c]);
    } else {
      std::uint64_t fractions[conversion_tile];
      for (std::size_t c = 0; c < width; ++c) fractions[c] = std::uint64_t{1} << (fraction_bits - 1);
      for (std::size_t i = 0; i < k; ++i) {
        const unsigned bits = source.moduli<W>()[i].bits();
        for (std::size_t c = 0; c < width; ++c) fractions[c] += fraction(y.limb(i)[c], tables.reciprocals[i], bits);
      }
      for (std::size_t c = 0; c < width; ++c) v[c] = static_cast<W>(fractions[c] >> fraction_bits);
    }
    wraps = v;
  }
  for (std::size_t j = 0; j < target.size(); ++j) {
    if (const int copy = conversion.copies()[j]; copy >= 0) {
      const W* const x = in.limb(static_cast<std::size_t>(copy));
      const W q = static_cast<W>(target[j]);
      for (std::size_t c = 0; c < width; ++c) out.limb(j)[c] = tables.copy_factors[j].multiply(x[c], q);
    } else {
      weighted_sum<W>(out.limb(j), width, {scratch, conversion_tile}, {tables.matrix.data() + j * k, k}, moduli[j],
                      conversion.lazy_terms(), wraps, tables.negative_wraps[j]);
    }
  }
}

template void weighted_sum(std::uint32_t*, std::size_t, Tile<const std::uint32_t>, std::span<const std::uint32_t>,
                           const Modulus<std::uint32_t>&, std::size_t, const std::uint32_t*, std::uint32_t) noexcept;
template void weighted_sum(std::uint64_t*, std::size_t, Tile<const std::uint64_t>, std::span<const std::uint64_t>,
                           const Modulus<std::uint64_t>&, std::size_t, const std::uint64_t*, std::uint64_t) noexcept;
template void convert_tile(Tile<std::uint32_t>, Tile<const std::uint32_t>, std::size_t, const BaseConversion&,
                           std::uint32_t*) noexcept;
template void convert_tile(Tile<std::uint64_t>, Tile<const std::uint64_t>, std::size_t, const BaseConversion&,
                           std::uint64_t*) noexcept;

}  // namespace cyclotome::cpu
