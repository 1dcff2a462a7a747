// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/engine/cuda/conversion/conversion_fragments.hpp"
#include "cyclotome/engine/cuda/conversion/conversion_terms.cuh"

// From a BaseConversion to the constants of conversion_terms.cuh.
namespace cyclotome::cuda {

/// How terms are counted and summed: the same for all coefficients.
struct ConversionShape {
  std::uint32_t sources, targets;
  std::uint32_t step;            ///< how many products are added up before the sum is folded
  std::int32_t fraction_start;   ///< the upper word of what the approximate fractions are added to
  std::uint32_t fraction_limit;  ///< upper words of their sum with as large a fraction (24 bits) leave v undecided
  bool centred;
  bool divides;                  ///< whether sums are divided by R
  bool copies;                   ///< whether a target is a source limb
  bool unused = false;           ///< no gap: as an argument of a kernel this is compared byte by byte
  std::uint32_t byte_steps = 0;  ///< of products of bytes (conversion_fragments.hpp); 0: there are none
  std::uint32_t unused_word = 0;
};

/// A conversion's constants on the host.
template <class W>
struct HostConversion {
  ConversionShape shape{};
  std::vector<SourceConstants<W>> sources;
  std::vector<TargetConstants<W>> targets;
  std::vector<TermTile<W>> matrix;      ///< [target / tile_targets][source], 0 beyond the last target and for copies
  std::vector<ExactFraction<W>> exact;  ///< per source
  std::vector<Term<W>> copy_factors;    ///< per target: what the source limb is multiplied by, or 0
  ConversionFragments bytes;
};

/// x R modulo b.
template <class W>
W times_word(W x, const Modulus<W>& b) {
  return b.reduce_wide(static_cast<Wide<W>>(x) << word_bits<W>);
}

/// The representative of a residue modulo b that products take.
template <class W>
CYCLOTOME_INLINE Term<W> term_of(W x, W b) {
  if (sizeof(W) == 4 && x > b / 2) return static_cast<Term<W>>(x - b);
  return static_cast<Term<W>>(x);
}

template <class W>
CYCLOTOME_INLINE W magnitude(Term<W> x) {
  return sizeof(W) == 4 && static_cast<std::int64_t>(x) < 0 ? static_cast<W>(0 - static_cast<W>(x)) : static_cast<W>(x);
}

namespace detail {

/// Largest |y_i|, from what `scaled` says.
template <class W>
u128 largest_term(const Modulus<W>& q, bool centred) {
  const u128 value = q.value();
  if (sizeof(W) == 8 || !centred) return value - 1;
  return value / 2 + (value * value >> 33) + 2;
}

/// How many neighbouring products may be added up: every sum, with the terms that come with it, has to suit `folded`
/// and `divided` or `reduced`. One always fits.
template <class W>
std::uint32_t products_per_sum(const BaseConversion& conversion, const HostConversion<W>& host) {
  const auto sources = conversion.source().moduli<W>();
  const std::uint32_t count = host.shape.sources;
  std::uint32_t step = count;
  for (std::uint32_t j = 0; j < host.shape.targets; ++j) {
    const TargetConstants<W>& target = host.targets[j];
    const u128 b = target.modulus, largest = sizeof(W) == 8 ? b : b / 2 + 1;
    const unsigned halves = sizeof(W) == 8 ? 4 : host.shape.divides ? 3 : 2;
    const u128 bound = (halves * b << (word_bits<W> - 1)) - 1;
    // What is left of a sum that was folded, the wraps, and a product and an addend of a division.
    u128 sum = ((bound >> word_bits<W>)+1) * magnitude<W>(target.of_word) + (u128{1} << word_bits<W>);
    if (host.shape.centred) sum += (count + 1 + 2 * b) * largest;
    const auto product = [&](std::uint32_t i) {
      return largest_term(sources[i], host.shape.centred) *
             magnitude<W>(host.matrix[j / tile_targets * count + i].word[j % tile_targets]);
    };
    std::uint32_t start = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (sum += product(i); sum > bound; ++start) sum -= product(start);
      if (start != 0) step = std::min(step, i - start + 1);
    }
  }
  // Sums of about one length.
  const std::uint32_t sums = (count + step - 1) / step;
  return (count + sums - 1) / sums;
}

}  // namespace detail

template <class W>
HostConversion<W> host_conversion(const BaseConversion& conversion) {
  const auto& tables = conversion.tables<W>();
  const auto sources = conversion.source().moduli<W>();
  const auto targets = conversion.target().moduli<W>();
  HostConversion<W> host;
  ConversionShape& shape = host.shape;
  shape.sources = static_cast<std::uint32_t>(sources.size());
  shape.targets = static_cast<std::uint32_t>(targets.size());
  shape.centred = conversion.lift() == Lift::centred;
  shape.divides = std::all_of(targets.begin(), targets.end(), [](const Modulus<W>& b) {
    return b.value() % 2 == 1 && b.value() <= W{1} << (word_bits<W> - 2);
  });
  constexpr std::int64_t one = std::int64_t{1} << fraction_bits;
  u128 slack = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const W q = sources[i].value();
    const unsigned bits = sources[i].bits(), shift = sizeof(W) == 8 && bits > 28 ? bits - 28 : 0;
    SourceConstants<W> source{};
    source.factor = tables.punctured_inverses[i].operand;
    source.quotient = tables.punctured_inverses[i].quotient;
    if (sizeof(W) == 4) source.quotient = static_cast<W>(((static_cast<u128>(source.factor) << 33) / q + 1) / 2);
    source.modulus = q;
    const u128 fraction = (static_cast<u128>(one) << shift) / q;
    source.fraction.factor = static_cast<std::int32_t>(std::min<u128>(fraction, 0x7fffffff));
    if constexpr (sizeof(W) == 8) source.fraction.shift = shift;
    host.sources.push_back(source);
    host.exact.push_back({tables.reciprocals[i], q, bits});
    // What `fraction` of this file and that of the CPU may be off: factor and shift, or only the reciprocal.
    const u128 largest = detail::largest_term(sources[i], shape.centred) + 1;
    slack += ((largest >> shift) + 1) * (fraction - source.fraction.factor + 1) + fraction + (u128{1} << 25);
  }
  const auto slack_words = static_cast<std::int64_t>(std::min<u128>((slack >> 32) + 1, 1 << 23));
  shape.fraction_start = static_cast<std::int32_t>((std::int64_t{1} << 23) - slack_words);
  shape.fraction_limit = static_cast<std::uint32_t>((std::int64_t{1} << 24) - 2 * slack_words);
  host.matrix.resize((targets.size() + tile_targets - 1) / tile_targets * sources.size());
  for (std::size_t j = 0; j < targets.size(); ++j) {
    const Modulus<W>& b = targets[j];
    const auto constant = [&](W x) { return term_of<W>(shape.divides ? times_word(x, b) : x, b.value()); };
    W inverse = 1;  // Newton's iteration doubles the correct bits; 1 is right modulo 2
    for (unsigned bits = 1; bits < word_bits<W>; bits *= 2) inverse *= static_cast<W>(2 - b.value() * inverse);
    const bool copied = conversion.copies()[j] >= 0;
    host.targets.push_back({b.value(), sizeof(W) == 4 ? static_cast<W>(0 - inverse) : inverse,
                            copied ? Term<W>{0} : constant(tables.negative_wraps[j]),
                            term_of<W>(times_word(W{1}, b), b.value())});
    host.copy_factors.push_back(copied ? constant(tables.copy_factors[j].operand) : Term<W>{0});
    shape.copies = shape.copies || copied;
    for (std::size_t i = 0; !copied && i < sources.size(); ++i) {
      host.matrix[j / tile_targets * sources.size() + i].word[j % tile_targets] =
          constant(tables.matrix[j * sources.size() + i]);
    }
  }
  shape.step = detail::products_per_sum(conversion, host);
  if constexpr (sizeof(W) == 4) host.bytes = conversion_fragments(conversion);
  shape.byte_steps = host.bytes.steps;
  return host;
}

}  // namespace cyclotome::cuda
