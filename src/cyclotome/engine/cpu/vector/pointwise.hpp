// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes_near_sums.hpp"

namespace cyclotome::cpu {
namespace {

/// Verbs that treat every coefficient alike. What does not fill a register is left to the scalar table.
template <class L>
struct Pointwise {
  using Word = typename L::Word;
  using Vector = typename L::Vector;
  using Q = Modulus<Word>;

  /// vectors(c) for every whole register of coefficients from c on; then rest(c, how many) for those left over.
  template <class Vectors, class Rest>
  CYCLOTOME_INLINE static void over(std::size_t count, const Vectors& vectors, const Rest& rest) {
    std::size_t c = 0;
    for (; c + L::lanes <= count; c += L::lanes) vectors(c);
    if (c != count) rest(c, count - c);
  }
  CYCLOTOME_INLINE static Vector load(const Word* p) { return L::Registers::load(p); }
  /// The same, and the same place of the next tile is fetched: products by scalars are the first to touch a tile of a
  /// conversion or a division, whose rows are shorter than processors fetch ahead by themselves.
  CYCLOTOME_INLINE static Vector load_and_fetch(const Word* p) {
    __builtin_prefetch(p + conversion_tile);
    return load(p);
  }
  CYCLOTOME_INLINE static void store(Word* p, Vector v) { L::Registers::store(p, v); }
  static const Kernels<Word>& scalar() noexcept { return scalar_kernels<Word>(); }

  static void add(Word* out, const Word* a, const Word* b, std::size_t count, const Q& modulus) noexcept {
    const Vector q = L::broadcast(modulus.value());
    over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          store(out + c, L::conditional_subtract(L::add(load(a + c), load(b + c)), q));
        },
        [&](std::size_t c, std::size_t rest) { scalar().add(out + c, a + c, b + c, rest, modulus); });
  }

  static void subtract(Word* out, const Word* a, const Word* b, std::size_t count, const Q& modulus) noexcept {
    const Vector q = L::broadcast(modulus.value());
    over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          store(out + c, L::conditional_subtract(L::subtract(L::add(load(a + c), q), load(b + c)), q));
        },
        [&](std::size_t c, std::size_t rest) { scalar().subtract(out + c, a + c, b + c, rest, modulus); });
  }

  static void negate(Word* out, const Word* a, std::size_t count, const Q& modulus) noexcept {
    const Vector q = L::broadcast(modulus.value());
    over(
        count,
        [&](std::size_t c)
            __attribute__((always_inline)) { store(out + c, L::conditional_subtract(L::subtract(q, load(a + c)), q)); },
        [&](std::size_t c, std::size_t rest) { scalar().negate(out + c, a + c, rest, modulus); });
  }

  static void multiply(Word* out, const Word* a, const Word* b, std::size_t count, const Q& modulus) noexcept {
    const typename L::Reducer reducer(modulus);
    over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          auto sum = L::nothing();
          L::accumulate(sum, load(a + c), L::operand(load(b + c)));
          L::settle(sum);
          store(out + c, L::reduce(sum, reducer));
        },
        [&](std::size_t c, std::size_t rest) { scalar().multiply(out + c, a + c, b + c, rest, modulus); });
  }

  static void multiply_accumulate(Word* accumulator, const Word* a, const Word* b, std::size_t count,
                                  const Q& modulus) noexcept {
    const typename L::Reducer reducer(modulus);
    over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          auto sum = L::sum_of(load(accumulator + c));
          L::accumulate(sum, load(a + c), L::operand(load(b + c)));
          L::settle(sum);
          store(accumulator + c, L::reduce(sum, reducer));
        },
        [&](std::size_t c, std::size_t rest) {
          scalar().multiply_accumulate(accumulator + c, a + c, b + c, rest, modulus);
        });
  }

  static void scale(Word* out, const Word* a, const ShoupFactor<Word>& factor, std::size_t count, Word q) noexcept {
    if constexpr (NearSums<L>::exist) {
      if (NearSums<L>::with(q, [&](auto near) { Pointwise<decltype(near)>::scale(out, a, factor, count, q); })) return;
    }
    const typename L::Prime p(q);
    const typename L::Factor w = factor_of(factor, q);
    over(
        count,
        [&](std::size_t c)
            __attribute__((always_inline)) { store(out + c, reduced<L>(cpu::multiply<L>(first(a + c), w, p), p)); },
        [&](std::size_t c, std::size_t rest) { scalar().scale(out + c, a + c, factor, rest, q); });
  }

  static void scale_add(Word* out, const Word* a, const ShoupFactor<Word>& factor, const Word* b, std::size_t count,
                        Word q) noexcept {
    if constexpr (NearSums<L>::exist) {
      if (NearSums<L>::with(q, [&](auto near) { Pointwise<decltype(near)>::scale_add(out, a, factor, b, count, q); })) {
        return;
      }
    }
    const typename L::Prime p(q);
    const typename L::Factor w = factor_of(factor, q);
    over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          const Vector product = cpu::multiply<L>(first(a + c), w, p);
          if constexpr (TakesHalves<L>) {  // which has room for the sum
            store(out + c, L::left(L::add(product, load(b + c)), p));
          } else {
            store(out + c, L::conditional_subtract(L::add(reduced<L>(product, p), load(b + c)), p.q));
          }
        },
        [&](std::size_t c, std::size_t rest) { scalar().scale_add(out + c, a + c, factor, b + c, rest, q); });
  }

  static void move_centred(Word* out, const Word* a, std::size_t count, Word from, Word q) noexcept {
    if (from < 2 * q) {
      move<true>(out, a, count, from, q);
    } else {
      move<false>(out, a, count, from, q);
    }
  }

  // Loops that compilers make vector code of, once it is for this instruction set. Values and t are below 2^63.
  static std::uint64_t to_residues(Word* out, const std::int64_t* values, std::size_t count, std::uint64_t t) noexcept {
    const std::uint64_t half = t / 2;
    std::uint64_t outside = 0;  // the sign of 2 half - (value + half), each as a number without a sign
    for (std::size_t c = 0; c < count; ++c) {
      const auto value = static_cast<std::uint64_t>(values[c]), shifted = value + half;
      outside |= shifted | (2 * half - shifted);
      out[c] = static_cast<Word>(value + (t & static_cast<std::uint64_t>(values[c] >> 63)));
    }
    return outside >> 63;
  }
  static void to_values(std::int64_t* out, const Word* residues, std::size_t count, std::uint64_t t) noexcept {
    const auto below = static_cast<std::int64_t>((t + 1) / 2) - 1;
    for (std::size_t c = 0; c < count; ++c) {
      const auto residue = static_cast<std::int64_t>(residues[c]);
      out[c] = residue - static_cast<std::int64_t>(t & static_cast<std::uint64_t>((below - residue) >> 63));
    }
  }

  /// A register's sources lie in one register, as they lie in a run of it: one load, and a permutation within.
  static void permute(Word* out, const Word* a, const std::uint32_t* sources, std::size_t count) noexcept {
    using R = typename L::Registers;
    if constexpr (R::permutes) {
      static_assert(permuted_run % L::lanes == 0);
      for (std::size_t c = 0; c < count; c += L::lanes) {
        const Word* const run = a + (sources[c] & ~static_cast<std::uint32_t>(L::lanes - 1));
        if constexpr (sizeof(Word) == 4) {
          store(out + c, R::permuted32(load(run), sources + c));
        } else {
          store(out + c, R::permuted64(load(run), sources + c));
        }
      }
    } else {
      scalar().permute(out, a, sources, count);
    }
  }

 private:
  CYCLOTOME_INLINE static Vector first(const Word* p) {
    if constexpr (TakesHalves<L>) {
      return load_and_fetch(p);
    } else {
      return load(p);
    }
  }
  CYCLOTOME_INLINE static typename L::Factor factor_of(const ShoupFactor<Word>& w, [[maybe_unused]] Word q) {
    if constexpr (TakesHalves<L>) {
      const HalvedFactor halved(w.operand, NearPower(q));
      return L::factor(L::broadcast(halved.factor), L::broadcast(halved.lifted));
    } else {
      return L::factor(L::broadcast(w.operand), L::broadcast(w.quotient));
    }
  }

  template <bool near>
  CYCLOTOME_INLINE static void move(Word* out, const Word* a, std::size_t count, Word from, Word q) {
    const CentredMove<L, near> moved(from, q);
    over(
        count, [&](std::size_t c) __attribute__((always_inline)) { store(out + c, moved(load(a + c))); },
        [&](std::size_t c, std::size_t rest) { scalar().move_centred(out + c, a + c, rest, from, q); });
  }
};

}  // namespace
}  // namespace cyclotome::cpu
