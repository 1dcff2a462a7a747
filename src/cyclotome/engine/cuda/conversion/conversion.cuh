// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion_constants.cuh"
#include "cyclotome/engine/cuda/conversion/peaks.cuh"
#include "cyclotome/engine/cuda/graph/launcher.hpp"

// A base conversion of a few neighbouring coefficients in one thread: the y_i wait in memory of its own (shared memory
// on the device), products with a tile of targets accumulate in registers, and each constant serves all coefficients.
namespace cyclotome::cuda {

/// A conversion's constants where kernels find them.
template <class W>
struct ColumnConversion : ConversionShape {
  const SourceConstants<W>* source;  // followed by target and matrix: constant_bytes together
  const TargetConstants<W>* target;
  const TermTile<W>* matrix;
  const ExactFraction<W>* exact;
  const Modulus<W>* target_moduli;
  const Term<W>* copy_factors;
  const int* copied;          // per target: the source limb, or -1
  const Quad* fragments;      // of products of bytes, if byte_steps is not 0
  const ByteSums* byte_sums;  // per target

  CYCLOTOME_INLINE std::uint32_t tiles() const { return (targets + tile_targets - 1) / tile_targets; }
  CYCLOTOME_INLINE std::uint32_t constant_bytes() const {
    return static_cast<std::uint32_t>(sources * sizeof(SourceConstants<W>) + targets * sizeof(TargetConstants<W>) +
                                      tiles() * sources * sizeof(TermTile<W>));
  }
};

/// Targets from number `first` on are limbs of the result that come `limbs` later.
struct TargetGap {
  std::uint32_t first = ~std::uint32_t{0}, limbs = 0;
};

/// nvcc does not always see through the base.
template <class W>
inline constexpr bool without_gaps<ColumnConversion<W>> =
    without_gaps<ConversionShape> && sizeof(ColumnConversion<W>) == sizeof(ConversionShape) + 9 * sizeof(void*);

/// Neighbouring coefficients of a limb.
template <class W, unsigned Bytes = 8>
struct alignas(Bytes) Columns {
  static constexpr unsigned count = Bytes / sizeof(W);
  W word[count];
};

template <unsigned Bytes = 8, class W>
CYCLOTOME_INLINE Columns<W, Bytes>* columns(W* limb, std::uint32_t first) {
  return reinterpret_cast<Columns<W, Bytes>*>(limb + first);
}

/// First coefficient of this thread's columns in a grid of threads along x.
template <class W, unsigned Bytes = 8>
__device__ __forceinline__ std::uint32_t first_column() {
  return (blockIdx.x * blockDim.x + threadIdx.x) * Columns<W, Bytes>::count;
}

/// How often q has to be taken off the sum of the terms.
template <class W, unsigned Bytes>
struct Wraps {
  Term<W> word[Columns<W, Bytes>::count];
};

/// One coefficient's wraps as the CPU counts them, from reduced y_i, less those of y_i themselves. load(i): term i.
/// Without a branch on the terms. peak sees the sum of fractions where there are several.
template <class W, class Load, class P = NoPeak>
CYCLOTOME_INLINE Term<W> exact_wraps(const ColumnConversion<W>& t, const Load& load, P&& peak = P{}) {
  if (t.sources == 1) {
    const W q = t.exact[0].modulus, y = canonical<W>(load(0), q);
    return static_cast<Term<W>>(y >= q - y) - static_cast<Term<W>>(y != static_cast<W>(load(0)));
  }
  std::uint64_t fractions = std::uint64_t{1} << (fraction_bits - 1);
  Term<W> negative = 0;
#pragma unroll 2
  for (std::uint32_t i = 0; i < t.sources; ++i) {
    const ExactFraction<W> exact = t.exact[i];
    const Term<W> term = load(i);
    const W y = canonical<W>(term, exact.modulus);
    negative += static_cast<Term<W>>(y != static_cast<W>(term));
    fractions += fraction<W>(y, exact.reciprocal, exact.bits);
  }
  peak.of_sum(fractions);
  return static_cast<Term<W>>(fractions >> fraction_bits) - negative;
}

/// How wraps are found. `exactly`: for coefficients that may be secret. `quickly`: from approximate fractions, and
/// exactly only where these leave it open, once in some 2^20 coefficients.
enum class Count : std::uint8_t { nothing, exactly, quickly };

/// The x_i in y[i * Stride] become the terms of f x, and these are counted. also(i, x) sees each x first. peak: of the
/// coefficients, where they are counted exactly.
template <Count How, unsigned Stride, class W, unsigned Bytes, class Also, class P = NoPeak>
CYCLOTOME_INLINE Wraps<W, Bytes> scale_sources(const ColumnConversion<W>& t, Columns<W, Bytes>* y, const Also& also,
                                               P&& peak = P{}) {
  constexpr unsigned count = Columns<W, Bytes>::count;
  std::int64_t fractions[count];
#pragma unroll
  for (unsigned c = 0; c < count; ++c) fractions[c] = static_cast<std::int64_t>(t.fraction_start) << 32;
#pragma unroll 2
  for (std::uint32_t i = 0; i < t.sources; ++i) {
    Columns<W, Bytes> x = y[i * Stride];
    also(i, x);
    const SourceConstants<W> source = t.source[i];
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      if (t.sources == 1) peak.of_residue(x.word[c], source.modulus);
      Term<W> term = scaled(x.word[c], source);
      if constexpr (How == Count::nothing) term = static_cast<Term<W>>(canonical<W>(term, source.modulus));
      if constexpr (How == Count::quickly) fractions[c] = add_fraction<W>(fractions[c], term, source.fraction);
      x.word[c] = static_cast<W>(term);
    }
    y[i * Stride] = x;
  }
  Wraps<W, Bytes> wraps{};
  if constexpr (How == Count::nothing) return wraps;
  bool open = How == Count::exactly || t.sources == 1;
#pragma unroll
  for (unsigned c = 0; c < count; ++c) {
    const auto high = static_cast<std::int32_t>(fractions[c] >> 32);
    wraps.word[c] = static_cast<Term<W>>(high >> (fraction_bits - 32));
    open = open || (static_cast<std::uint32_t>(high) & 0xffffff) >= t.fraction_limit;
  }
  if (open) {
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      wraps.word[c] =
          exact_wraps(t, [&](std::uint32_t i) { return static_cast<Term<W>>(y[i * Stride].word[c]); }, peak);
    }
  }
  return wraps;
}

/// Tiles of targets: [first, last).
struct TileRange {
  std::uint32_t first, last;
};

/// Nothing but the terms is summed; else what `load` brings for some targets, while the terms are summed, is added.
struct NoAddend {
  struct Held {};
  template <unsigned Count>
  CYCLOTOME_INLINE Held load(std::uint32_t) const {
    return {};
  }
  template <class S>
  CYCLOTOME_INLINE void add(S&, const Held&, unsigned, unsigned, std::uint32_t) const {}
};

/// Targets first, ..., first + Count - 1.
template <unsigned Count, unsigned Stride, bool Divides, class W, unsigned Bytes, class Addend, class Emit>
CYCLOTOME_INLINE void sum_tile(const ColumnConversion<W>& t, const TermTile<W>* row, std::uint32_t first,
                               const Columns<W, Bytes>* y, const Wraps<W, Bytes>& wraps, const Addend& addend,
                               const Emit& emit) {
  constexpr unsigned count = Columns<W, Bytes>::count;
  const auto held = addend.template load<Count>(first);
  Sum<W> sums[Count][count];
#pragma unroll
  for (unsigned j = 0; j < Count; ++j) {
    const Term<W> factor = t.target[first + j].wraps;
#pragma unroll
    for (unsigned c = 0; c < count; ++c) sums[j][c] = multiply_add<W>(wraps.word[c], factor, 0);
  }
  for (std::uint32_t start = 0;;) {
    const std::uint32_t end = start + t.step < t.sources ? start + t.step : t.sources;
#pragma unroll 4
    for (std::uint32_t i = start; i < end; ++i) {
      const Columns<W, Bytes> value = y[i * Stride];
      const TermTile<W> entries = row[i];
#pragma unroll
      for (unsigned j = 0; j < Count; ++j) {
#pragma unroll
        for (unsigned c = 0; c < count; ++c) {
          sums[j][c] = multiply_add<W>(static_cast<Term<W>>(value.word[c]), entries.word[j], sums[j][c]);
        }
      }
    }
    if (end == t.sources) break;
    start = end;
#pragma unroll
    for (unsigned j = 0; j < Count; ++j) {
      const TargetConstants<W> target = t.target[first + j];
#pragma unroll
      for (unsigned c = 0; c < count; ++c) sums[j][c] = folded(sums[j][c], target);
    }
  }
#pragma unroll
  for (unsigned j = 0; j < Count; ++j) {
    const TargetConstants<W> target = t.target[first + j];
    Columns<W, Bytes> result;
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      addend.add(sums[j][c], held, j, c, first + j);
      if (Divides || t.divides) {
        result.word[c] = divided(sums[j][c], target);
      } else {
        result.word[c] = reduced(sums[j][c], t.target_moduli[first + j]);
      }
    }
    emit(first + j, result);
  }
}

/// emit(j, residues modulo target j) for the targets in `tiles`. Divides: whether all sums are divided by R for sure.
template <unsigned Stride, bool Divides, class W, unsigned Bytes, class Addend, class Emit>
CYCLOTOME_INLINE void spread_to_targets(const ColumnConversion<W>& t, TileRange tiles, const Columns<W, Bytes>* y,
                                        const Wraps<W, Bytes>& wraps, const Addend& addend, const Emit& emit) {
  const TermTile<W>* row = t.matrix + tiles.first * t.sources;
#pragma unroll 1
  for (std::uint32_t tile = tiles.first; tile < tiles.last; ++tile, row += t.sources) {
    const std::uint32_t first = tile * tile_targets;
    switch (t.targets - first) {
      case 1:
        sum_tile<1, Stride, Divides>(t, row, first, y, wraps, addend, emit);
        break;
      case 2:
        sum_tile<2, Stride, Divides>(t, row, first, y, wraps, addend, emit);
        break;
      case 3:
        sum_tile<3, Stride, Divides>(t, row, first, y, wraps, addend, emit);
        break;
      default:
        sum_tile<4, Stride, Divides>(t, row, first, y, wraps, addend, emit);
    }
  }
}

/// What targets that are source limbs get; x: load(i).
template <class W, unsigned Bytes, class Load>
struct CopyAddend {
  const ColumnConversion<W>& t;
  Load source;

  template <unsigned Count>
  struct Held {
    Columns<W, Bytes> x[Count];
  };
  template <unsigned Count>
  CYCLOTOME_INLINE Held<Count> load(std::uint32_t first) const {
    Held<Count> held{};
#pragma unroll
    for (unsigned j = 0; j < Count; ++j) {
      if (const int i = t.copied[first + j]; i >= 0) held.x[j] = source(static_cast<std::uint32_t>(i));
    }
    return held;
  }
  template <unsigned Count>
  CYCLOTOME_INLINE void add(Sum<W>& sum, const Held<Count>& held, unsigned j, unsigned c, std::uint32_t target) const {
    sum = multiply_add<W>(static_cast<Term<W>>(held.x[j].word[c]), t.copy_factors[target], sum);
  }
};

/// factor kept + addend of a division; both from where `kept` and `addend` point, a limb of `degree` after the other.
template <class W, unsigned Bytes, bool Added>
struct QuotientAddend {
  const ColumnConversion<W>& t;
  const Term<W>* factors;  // per target, times R if sums are divided by it
  W* kept;
  W* addend;  // if Added; null: 0
  std::uint32_t degree;

  template <unsigned Count>
  struct Held {
    Columns<W, Bytes> x[Count], z[Added ? Count : 1];
  };
  template <unsigned Count>
  CYCLOTOME_INLINE Held<Count> load(std::uint32_t first) const {
    Held<Count> held{};
#pragma unroll
    for (unsigned j = 0; j < Count; ++j) held.x[j] = *columns<Bytes>(kept + std::size_t{first + j} * degree, 0);
    if (Added && addend != nullptr) {
#pragma unroll
      for (unsigned j = 0; j < Count; ++j) {
        held.z[Added ? j : 0] = *columns<Bytes>(addend + std::size_t{first + j} * degree, 0);
      }
    }
    return held;
  }
  template <unsigned Count>
  CYCLOTOME_INLINE void add(Sum<W>& sum, const Held<Count>& held, unsigned j, unsigned c, std::uint32_t target) const {
    sum = multiply_add<W>(static_cast<Term<W>>(held.x[j].word[c]), factors[target], sum);
    if constexpr (Added) {
      const Term<W> one = t.divides ? t.target[target].of_word : static_cast<Term<W>>(1);
      sum = multiply_add<W>(static_cast<Term<W>>(held.z[j].word[c]), one, sum);
    }
  }
};

/// A division's factor as QuotientAddend takes it.
template <class W>
CYCLOTOME_INLINE Term<W> quotient_factor(const ShoupFactor<W>& factor, W b, bool divides) {
  // factor R - floor(factor R / b) b is factor R modulo b.
  const W residue = divides ? static_cast<W>(0 - factor.quotient * b) : factor.operand;
  return term_of<W>(residue, b);
}

}  // namespace cyclotome::cuda
