// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/steps/prime_factor.hpp"
#include "cyclotome/engine/cpu/vector/columns.hpp"
#include "cyclotome/engine/cpu/vector/forward.hpp"
#include "cyclotome/engine/cpu/vector/inverse.hpp"

namespace cyclotome::cpu {
namespace {

/// The convolutions of transforms over Phi_m on lanes of class L. Along 257 squares of lanes are transposed, so that
/// lines lie side by side: the other axes leave the 16 words that storage order keeps together as they are.
template <class L>
struct PrimeFactor {
  using Word = typename L::Word;
  using Vector = typename L::Vector;
  using Prime = typename L::Prime;
  using Convolution = FixedConvolution<Word>;
  using Work = typename Blocks<L>::Work;
  using Span = Rows<Word>;

  static constexpr std::size_t lanes = L::lanes;
  static constexpr std::size_t row = 16;  ///< words that storage order keeps together

  static void columns(Word* tile, const Convolution& c, const Modulus<Word>& q, Word* work) noexcept {
    Columns<L>::convolve(c, {tile, c.padded, lanes, lanes}, q, Prime(q.value()), *reinterpret_cast<Work*>(work));
  }

  static void line(Word* x, const Convolution& c, const Modulus<Word>& q) noexcept {
    if (c.as_line == nullptr || c.padded < Transform<L>::smallest) return convolve_line(x, c, q);
    along_line(x, *c.as_line, c.padded, q.value());
  }

  static void split_rows(const Span& rows, const Convolution& c, bool split, Word q) noexcept {
    Columns<L>::split_all(c, rows, 0, !split, Prime(q));
  }
  static void merge_rows(const Span& rows, const Convolution& c, Word q) noexcept {
    Columns<L>::merge_all(c, rows, 0, false, Prime(q));
  }
  static void convolve_rows(const Span& rows, const Convolution& c, const ShoupFactor<Word>* kernel, bool split,
                            Word q) noexcept {
    Columns<L>::convolve_singles(c, rows, kernel, !split, false, Prime(q));
  }

  /// tile[e][line], after the work of a block.
  static void convolve_257(Word* a, std::size_t rows, const Convolution& c, const Modulus<Word>& q,
                           Word* scratch) noexcept {
    Word* const tile = scratch + block_scratch_bytes / sizeof(Word);
    for (std::size_t r = 0; r < rows; r += lanes) {
      const std::size_t count = std::min(lanes, rows - r);
      turn(a, rows, r, [&](std::size_t e, const Word* from) __attribute__((always_inline)) {
        Vector v[lanes];
        unrolled<lanes>([&](auto i) __attribute__((always_inline)) {
          v[i] = i < count ? L::Registers::load(from + i * row) : L::Registers::zero();
        });
        exchange_all<lanes / 2>(v);
        unrolled<lanes>([&](auto i)
                            __attribute__((always_inline)) { L::Registers::store(tile + (e + i) * lanes, v[i]); });
      });
      columns(tile, c, q, scratch);
      turn(a, rows, r, [&](std::size_t e, Word* to) __attribute__((always_inline)) {
        Vector v[lanes];
        unrolled<lanes>([&](auto i)
                            __attribute__((always_inline)) { v[i] = L::Registers::load(tile + (e + i) * lanes); });
        exchange_all<lanes / 2>(v);
        unrolled<lanes>([&](auto i) __attribute__((always_inline)) {
          if (i < count) L::Registers::store(to + i * row, v[i]);
        });
      });
    }
  }

 private:
  /// square(e, where) for every square of lanes of rows r and on: exponents e and on, first row at `where`.
  template <class Square>
  CYCLOTOME_INLINE static void turn(Word* a, std::size_t rows, std::size_t r, const Square& square) {
    for (std::size_t hi = 0; hi < 16; ++hi) {
      for (std::size_t lo = 0; lo < row; lo += lanes) square(hi * row + lo, a + (hi * rows + r) * row + lo);
    }
  }

  /// Transposes a square.
  template <std::size_t gap>
  CYCLOTOME_INLINE static void exchange_all(Vector* v) {
    unrolled<lanes / 2>([&](auto i) __attribute__((always_inline)) {
      constexpr std::size_t x = i / gap * 2 * gap + i % gap;
      L::template exchange<gap>(v[x], v[x + gap]);
    });
    if constexpr (gap > 1) exchange_all<gap / 2>(v);
  }

  /// By the stages of the negacyclic transform, whose tree has other roots.
  static void along_line(Word* line, const LineTables<Word>& t, std::size_t size, Word q) noexcept {
    const Prime p(q);
    Forward<L>::in_place(line, size, {t.splits.data(), t.split_quotients.data()}, p);
    for (Word* x = line; x != line + size; x += lanes) {
      const auto at = static_cast<std::size_t>(x - line);
      const auto w =
          L::factor(L::Registers::load(t.kernel.data() + at), L::Registers::load(t.kernel_quotients.data() + at));
      L::Registers::store(x, multiply<L>(L::Registers::load(x), w, p));
    }
    const typename Inverse<L>::FactorWords one({1, q}, q);
    Inverse<L>::tree(line, size, 1, {t.merges.data(), t.merge_quotients.data()}, p, {one, one});
  }
};

template <class L>
const ConvolutionKernels<typename L::Word>& convolutions(typename L::Word) noexcept {
  using P = PrimeFactor<L>;
  static constexpr ConvolutionKernels<typename L::Word> kernels{
      .lanes = L::lanes,
      .columns = P::columns,
      .line = P::line,
      .split_rows = P::split_rows,
      .merge_rows = P::merge_rows,
      .convolve_rows = P::convolve_rows,
      .convolve_257 = P::convolve_257,
  };
  return kernels;
}

}  // namespace
}  // namespace cyclotome::cpu
