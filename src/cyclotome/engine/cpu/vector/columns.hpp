// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/convolution_kernels.hpp"
#include "cyclotome/engine/cpu/vector/blocks.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/unrolled.hpp"
#include "cyclotome/ring/tables/prime_factor_tables.hpp"

namespace cyclotome::cpu {
namespace {

/// Convolutions with a fixed kernel, one in each column of lanes. Ranges, with `limit` = bound * q: values enter and
/// leave in [0, limit); splitting leaves them in [0, 2 limit), which a product takes.
template <class L>
struct Columns {
  using Word = typename L::Word;
  using Vector = typename L::Vector;
  using Prime = typename L::Prime;
  using Shoup = ShoupFactor<Word>;
  using Convolution = FixedConvolution<Word>;
  using Span = Rows<Word>;

  static constexpr std::size_t lanes = L::lanes;
  /// Levels of splitting that registers hold at a time.
  static constexpr unsigned most_levels = L::Registers::registers == 32 ? 4 : 2;

  /// x, y -> x + w y, x - w y; `one`: w is 1; `tight`: x and y are below limit.
  template <bool one, bool tight>
  CYCLOTOME_INLINE static void split(Vector& x, Vector& y, const Shoup& w, const Prime& p) {
    const Vector a = tight ? x : L::conditional_subtract(x, p.limit);
    Vector b = y;
    if constexpr (!one) {
      b = multiply<L>(y, L::repeated(w), p);
    } else if constexpr (!tight) {
      b = L::conditional_subtract(y, p.limit);
    }
    x = L::add(a, b);
    y = L::subtract(L::add(a, p.limit), b);
  }

  /// x, y in [0, limit) -> x + y, (x - y) w in [0, limit).
  template <bool one>
  CYCLOTOME_INLINE static void merge(Vector& x, Vector& y, const Shoup& w, const Prime& p) {
    const Vector difference = L::subtract(L::add(x, p.limit), y);
    x = L::conditional_subtract(L::add(x, y), p.limit);
    y = one ? L::conditional_subtract(difference, p.limit) : multiply<L>(difference, L::repeated(w), p);
  }

  /// Where a node is: the factors of the leftmost of each level are 1. What enters a root is below limit, unless
  /// another axis was split before.
  enum class Place : std::uint8_t { root, left, inner };

  /// The levels below `node` of 2^levels registers.
  template <unsigned levels, Place place>
  CYCLOTOME_INLINE static void split_registers(Vector* v, const Shoup* factors, std::size_t node, const Prime& p) {
    unrolled<levels>([&](auto level) __attribute__((always_inline)) {
      constexpr std::size_t half = (std::size_t{1} << levels) / 2 >> level;
      unrolled<(std::size_t{1} << levels) / 2>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, x = 2 * group * half + i % half;
        split<place != Place::inner && group == 0, place == Place::root && level == 0>(
            v[x], v[x + half], factors[(node << level) + group - 1], p);
      });
    });
  }
  template <unsigned levels, Place place>
  CYCLOTOME_INLINE static void merge_registers(Vector* v, const Shoup* factors, std::size_t node, const Prime& p) {
    unrolled<levels>([&](auto step) __attribute__((always_inline)) {
      constexpr std::size_t half = std::size_t{1} << step, level = levels - 1 - step;
      unrolled<(std::size_t{1} << levels) / 2>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, x = 2 * group * half + i % half;
        merge<place != Place::inner && group == 0>(v[x], v[x + half], factors[(node << level) + group - 1], p);
      });
    });
  }

  /// work(registers) on every 2^levels registers that are count / 2^levels rows apart.
  template <unsigned levels, class Work>
  CYCLOTOME_INLINE static void over(const Span& rows, const Work& work) {
    constexpr std::size_t radix = std::size_t{1} << levels;
    const std::size_t step = (rows.count >> levels) * rows.stride;
    for (Word* row = rows.x; row != rows.x + step; row += rows.stride) {
      for (Word* x = row; x != row + rows.width; x += lanes) {
        Vector v[radix];
        unrolled<radix>([&](auto i) __attribute__((always_inline)) { v[i] = L::Registers::load(x + i * step); });
        work(v);
        unrolled<radix>([&](auto i) __attribute__((always_inline)) { L::Registers::store(x + i * step, v[i]); });
      }
    }
  }

  template <unsigned levels>
  CYCLOTOME_INLINE static void reduce_registers(Vector* v, const Prime& p) {
    unrolled<std::size_t{1} << levels>([&](auto i) __attribute__((always_inline)) { v[i] = reduced<L>(v[i], p); });
  }

  /// Work on rows in registers: some levels of splitting, of merging, or all there are with the product between.
  struct Split {
    const Shoup* factors;
    std::size_t node;
    template <unsigned levels, Place place>
    CYCLOTOME_INLINE void run(const Span& rows, const Prime& p) const {
      over<levels>(
          rows, [&](Vector* v) __attribute__((always_inline)) { split_registers<levels, place>(v, factors, node, p); });
    }
  };
  struct Merge {
    const Shoup* factors;
    std::size_t node;
    bool last;  ///< leaves values in [0, q)
    template <unsigned levels, Place place>
    CYCLOTOME_INLINE void run(const Span& rows, const Prime& p) const {
      over<levels>(rows, [&](Vector* v) __attribute__((always_inline)) {
        merge_registers<levels, place>(v, factors, node, p);
        if (last) reduce_registers<levels>(v, p);
      });
    }
  };
  struct Product {
    const Shoup *splits, *kernel, *merges;
    std::size_t node;
    bool last;
    template <unsigned levels, Place place>
    CYCLOTOME_INLINE void run(const Span& rows, const Prime& p) const {
      over<levels>(rows, [&](Vector* v) __attribute__((always_inline)) {
        split_registers<levels, place>(v, splits, node, p);
        unrolled<std::size_t{1} << levels>(
            [&](auto i) __attribute__((always_inline)) { v[i] = multiply<L>(v[i], L::repeated(kernel[i]), p); });
        merge_registers<levels, place>(v, merges, node, p);
        if (last) reduce_registers<levels>(v, p);
      });
    }
  };

  template <Place place, class Work>
  static void at_node(const Work& work, unsigned levels, const Span& rows, const Prime& p) noexcept {
    switch (levels) {
      case 1:
        return work.template run<1, place>(rows, p);
      case 2:
        return work.template run<2, place>(rows, p);
      case 3:
        if constexpr (most_levels >= 3) return work.template run<3, place>(rows, p);
        break;
      default:
        if constexpr (most_levels >= 4) return work.template run<4, place>(rows, p);
    }
  }

  /// The k-th of 2^level equal runs of rows.
  CYCLOTOME_INLINE static Span part(const Span& rows, unsigned level, std::size_t k) {
    const std::size_t count = rows.count >> level;
    return {rows.x + k * count * rows.stride, count, rows.stride, rows.width};
  }

  /// work_of(k) on the k-th of the 2^level nodes of rows.
  template <class WorkOf>
  CYCLOTOME_INLINE static void at_nodes(unsigned level, const WorkOf& work_of, unsigned levels, const Span& rows,
                                        bool tight, const Prime& p) {
    if (level == 0 && tight) return at_node<Place::root>(work_of(0), levels, rows, p);
    at_node<Place::left>(work_of(0), levels, part(rows, level, 0), p);
    for (std::size_t k = 1; k < std::size_t{1} << level; ++k) {
      at_node<Place::inner>(work_of(k), levels, part(rows, level, k), p);
    }
  }

  /// Splits all levels of `depth`, but for the last `left`. tight: values are below limit, not only below 2 limit.
  static void split_all(const Convolution& c, const Span& rows, unsigned left, bool tight, const Prime& p) noexcept {
    for (unsigned level = 0; level < c.depth - left;) {
      const unsigned levels = std::min(most_levels, c.depth - left - level);
      at_nodes(
          level, [&](std::size_t k) { return Split{c.splits.data(), (std::size_t{1} << level) + k}; }, levels, rows,
          tight, p);
      level += levels;
    }
  }
  /// And back. last: values then are in [0, q).
  static void merge_all(const Convolution& c, const Span& rows, unsigned left, bool last, const Prime& p) noexcept {
    const unsigned all = c.depth - left;
    for (unsigned done = 0; done < all;) {  // the same steps as split_all's, from the end
      const unsigned levels = done == 0 && all % most_levels != 0 ? all % most_levels : most_levels;
      done += levels;
      const unsigned level = all - done;
      at_nodes(
          level,
          [&](std::size_t k) { return Merge{c.merges.data(), (std::size_t{1} << level) + k, last && level == 0}; },
          levels, rows, true, p);
    }
  }

  /// The whole convolution, on rows whose blocks are single factors; kernel: by row.
  static void convolve_singles(const Convolution& c, const Span& rows, const Shoup* kernel, bool tight, bool last,
                               const Prime& p) noexcept {
    const unsigned left = std::min(most_levels, c.depth), level = c.depth - left;
    split_all(c, rows, left, tight, p);
    at_nodes(
        level,
        [&](std::size_t k) {
          return Product{c.splits.data(), kernel + (k << left), c.merges.data(), (std::size_t{1} << level) + k,
                         last && level == 0};
        },
        left, rows, tight, p);
    merge_all(c, rows, left, last, p);
  }

  /// The whole convolution, on columns of one register; values are in [0, q) then.
  static void convolve(const Convolution& c, const Span& rows, const Modulus<Word>& q, const Prime& p,
                       typename Blocks<L>::Work& work) noexcept {
    if (c.block == 1) return convolve_singles(c, rows, c.factors.data(), true, true, p);
    split_all(c, rows, 0, true, p);
    Blocks<L>::multiply(c, rows.x, rows.stride, q, p, work);
    merge_all(c, rows, 0, true, p);
  }
};

}  // namespace
}  // namespace cyclotome::cpu
