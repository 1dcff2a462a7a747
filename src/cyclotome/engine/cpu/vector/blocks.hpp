// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/unrolled.hpp"
#include "cyclotome/ring/tables/prime_factor_tables.hpp"

namespace cyclotome::cpu {
namespace {

/// Products with the blocks of a fixed kernel, modulo x^block - rho, in each column of lanes.
template <class L>
struct Blocks {
  using R = typename L::Registers;
  using Word = typename L::Word;
  using Vector = typename L::Vector;
  using Prime = typename L::Prime;
  using Sum = typename L::Sum;

  /// What is wiped with the rest of a transform's scratch.
  struct Work {
    Vector rows[16], results[16];
    Vector both[8], middle[2][8], outer[2][8];
  };
  static_assert(sizeof(Work) <= block_scratch_bytes);

  /// Rows, one register each and `stride` words apart, in [0, 2 bound q) -> [0, bound q).
  static void multiply(const FixedConvolution<Word>& c, Word* x, std::size_t stride, const Modulus<Word>& q,
                       const Prime& p, Work& work) noexcept {
    const typename L::Reducer reducer(q);
    const std::size_t blocks = std::size_t{1} << c.depth;
    if constexpr (sizeof(Word) == 4) {
      if (!c.toeplitz.empty()) {
        const Ending ending(q);
        const bool narrow = q.value() < max_toeplitz_modulus;
        const std::size_t words = toeplitz_words(c.block);
        for (std::size_t k = 0; k < blocks; ++k) {
          Word* const rows = x + k * c.block * stride;
          const Word* const diagonals = c.toeplitz.data() + k * words;
          if (narrow) {
            toeplitz<true>(c.block, rows, stride, diagonals, p, reducer, ending, work);
          } else {
            toeplitz<false>(c.block, rows, stride, diagonals, p, reducer, ending, work);
          }
        }
        return;
      }
    }
    for (std::size_t k = 0; k < blocks; ++k) {
      Word* const rows = x + k * c.block * stride;
      const Word* const kernel = c.kernel.data() + 2 * k * c.block;
      switch (c.block) {
        case 2:
          plain<2>(rows, stride, kernel, p, reducer, work);
          break;
        case 4:
          plain<4>(rows, stride, kernel, p, reducer, work);
          break;
        case 8:
          plain<8>(rows, stride, kernel, p, reducer, work);
          break;
        default:
          plain<16>(rows, stride, kernel, p, reducer, work);
      }
    }
  }

 private:
  CYCLOTOME_INLINE static Vector canonical(Vector v, const Prime& p) {
    return reduced<L>(L::conditional_subtract(v, p.limit), p);
  }

  /// Row by row of the matrix.
  template <std::size_t block>
  static void plain(Word* x, std::size_t stride, const Word* kernel, const Prime& p, const typename L::Reducer& reducer,
                    Work& work) noexcept {
    Vector* const v = work.rows;
    Vector* const results = work.results;
    for (std::size_t i = 0; i < block; ++i) v[i] = canonical(R::load(x + i * stride), p);
    for (std::size_t i = 0; i < block; ++i) {
      Sum sum = L::nothing();
      unrolled<block>([&](auto j) __attribute__((always_inline)) {
        if constexpr (j != 0 && j % 8 == 0 && L::sum_terms < block) sum = L::sum_of(L::reduce(sum, reducer));
        const Word factor = kernel[i >= j ? i - j : 2 * block + i - j];
        L::accumulate(sum, v[j], L::operand(L::broadcast(factor)));
        if constexpr (j % 4 == 3) L::settle(sum);
      });
      L::settle(sum);
      results[i] = L::reduce(sum, reducer);
    }
    for (std::size_t i = 0; i < block; ++i) R::store(x + i * stride, results[i]);
  }

  /// out[i] += or = the sum of T[i - j] x[j], T the 7 diagonals from d[0] on.
  template <bool more>
  CYCLOTOME_INLINE static void four(Vector* out, const Vector* x, const Word* d) {
    Vector t[7];
    unrolled<7>([&](auto i) __attribute__((always_inline)) { t[i] = L::broadcast(d[i]); });
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
      Vector sum = R::multiply32(x[0], t[3 + i]);
      unrolled<3>([&](auto j)
                      __attribute__((always_inline)) { sum = R::add64(sum, R::multiply32(x[j + 1], t[2 + i - j])); });
      out[i] = more ? R::add64(out[i], sum) : sum;
    });
  }

  /// x + y, below q where there is no room for more.
  template <bool narrow>
  CYCLOTOME_INLINE static Vector sum_of(Vector x, Vector y, const Prime& p) {
    const Vector sum = L::add(x, y);
    return narrow ? sum : L::conditional_subtract(sum, p.q);
  }

  /// The product of an 8 by 8 Toeplitz matrix and v.
  template <bool narrow>
  CYCLOTOME_INLINE static void eight(Vector* out, const Vector* v, const Word* d, bool odd, const Prime& p) {
    Vector low[4], high[4], both[4];
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
      low[i] = L::Products::half(v[i], odd);
      high[i] = L::Products::half(v[i + 4], odd);
      both[i] = L::Products::half(sum_of<narrow>(v[i], v[i + 4], p), odd);
    });
    four<false>(out, both, d);
    unrolled<4>([&](auto i) __attribute__((always_inline)) { out[i + 4] = out[i]; });
    four<true>(out, high, d + 7);
    four<true>(out + 4, low, d + 14);
  }

  /// What ends a Toeplitz product below max_toeplitz_modulus: Montgomery's reduction.
  struct Ending {
    Vector inverse, q, twice_limit;  // -1/q modulo 2^32, q, and 4 q
    CYCLOTOME_INLINE explicit Ending(const Modulus<Word>& modulus)
        : inverse(R::broadcast64(Word{0} - inverse_of(modulus.value()))),
          q(R::broadcast64(modulus.value())),
          twice_limit(L::broadcast(4 * modulus.value())) {}

   private:
    static constexpr Word inverse_of(Word q) {
      Word inverse = q;  // right modulo 8; each step doubles the bits
      for (int i = 0; i < 4; ++i) inverse *= 2 - q * inverse;
      return inverse;
    }
  };
  /// Sums below 36 q^2, of kernels that are multiplied by 2^32, -> [0, 2 q): (x + m q) / 2^32 < 7 q, m q = -x.
  CYCLOTOME_INLINE static Vector ended(Vector even, Vector odd, const Ending& e, const Prime& p) {
    const auto added = [&](Vector x) __attribute__((always_inline)) {
      return R::add64(x, R::multiply32(R::multiply32(x, e.inverse), e.q));
    };
    const Vector x = L::conditional_subtract(L::Products::high({added(even), added(odd)}), e.twice_limit);
    return L::conditional_subtract(x, p.limit);
  }

  /// narrow: q below max_toeplitz_modulus, where sums grow unreduced: 36 products of residues, 4 (4 q) q and 4 (2 q) q
  /// of T0, 4 (2 q) q and 4 q q of the others. Else 16, of which the usual reduction is due.
  template <bool narrow>
  static void toeplitz(std::size_t block, Word* x, std::size_t stride, const Word* d, const Prime& p,
                       const typename L::Reducer& reducer, const Ending& ending, Work& work) noexcept {
    Vector* const rows = work.rows;
    for (std::size_t i = 0; i < block; ++i) rows[i] = canonical(R::load(x + i * stride), p);
    const auto finish = [&](Word* to, auto count, const auto& even, const auto& odd) __attribute__((always_inline)) {
      unrolled<count>([&](auto i) __attribute__((always_inline)) {
        if constexpr (narrow) {
          R::store(to + i * stride, ended(even(i), odd(i), ending, p));
        } else {
          R::store(to + i * stride, L::reduce(Sum{even(i), odd(i)}, reducer));
        }
      });
    };
    auto& middle = work.middle;
    auto& outer = work.outer;
    const auto of_middle = [&](bool odd) {
      return [&middle, odd](std::size_t i) __attribute__((always_inline)) { return middle[odd][i]; };
    };
    const auto of_both = [&](bool odd) {
      return [&middle, &outer, odd](std::size_t i)
                 __attribute__((always_inline)) { return R::add64(middle[odd][i], outer[odd][i]); };
    };
    if (block == 4) {
      unrolled<2>([&](auto odd) __attribute__((always_inline)) {
        unrolled<4>([&](auto i)
                        __attribute__((always_inline)) { work.both[i] = L::Products::half(rows[i], odd != 0); });
        four<false>(middle[odd], work.both, d);
      });
      return finish(x, std::integral_constant<std::size_t, 4>{}, of_middle(false), of_middle(true));
    }
    if (block == 8) {
      eight<narrow>(middle[0], rows, d, false, p);
      eight<narrow>(middle[1], rows, d, true, p);
      return finish(x, std::integral_constant<std::size_t, 8>{}, of_middle(false), of_middle(true));
    }
    constexpr std::integral_constant<std::size_t, 8> half{};
    unrolled<half>([&](auto i)
                       __attribute__((always_inline)) { work.both[i] = sum_of<narrow>(rows[i], rows[i + half], p); });
    eight<narrow>(middle[0], work.both, d, false, p);
    eight<narrow>(middle[1], work.both, d, true, p);
    eight<narrow>(outer[0], rows + half, d + toeplitz_words(half), false, p);
    eight<narrow>(outer[1], rows + half, d + toeplitz_words(half), true, p);
    finish(x, half, of_both(false), of_both(true));
    eight<narrow>(outer[0], rows, d + 2 * toeplitz_words(half), false, p);
    eight<narrow>(outer[1], rows, d + 2 * toeplitz_words(half), true, p);
    finish(x + half * stride, half, of_both(false), of_both(true));
  }
};

}  // namespace
}  // namespace cyclotome::cpu
