// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp.

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/vector/forward.hpp"
#include "cyclotome/engine/cpu/vector/inverse.hpp"
#include "cyclotome/engine/cpu/vector/lanes_double.hpp"
#include "cyclotome/engine/cpu/vector/pointwise.hpp"
#include "cyclotome/engine/cpu/vector/sums.hpp"
#include "cyclotome/engine/cpu/vector/usual_arithmetic.hpp"

namespace cyclotome::cpu {
namespace {

/// 64-bit lanes for moduli below 2^50, of which 32-bit products of 25-bit halves leave room for sums.
template <class R>
struct LanesShort : Lanes64<R> {
  using Base = Lanes64<R>;
  using typename Base::Vector;
  using typename Base::Word;

  /// A sum of floor(y r / 2^(b + 7)) for y < 2^b, b <= 50, r < 2^64: the fractions of a centred lift. With y' = 2^(50 -
  /// b) y = 2^25 h + l and r = 2^32 s + t each is floor((floor(y' t / 2^32) + l s) / 2^25) + h s.
  struct Fractions {
    Vector total;

    CYCLOTOME_INLINE Fractions() : total(R::zero()) {}
    CYCLOTOME_INLINE void add(Vector y, Word reciprocal, unsigned bits) {
      const Vector up = R::shift_left64_by(y, 50 - bits), t = R::broadcast64(reciprocal);
      const Vector s = R::broadcast64(reciprocal >> 32);
      const Vector l = R::both(up, R::broadcast64(0x1ffffff)), h = R::template shift_right64<25>(up);
      const Vector of_t = Base::add(R::template shift_right64<25>(R::multiply32(l, t)), R::multiply32(h, t));
      const Vector low = Base::add(R::template shift_right64<7>(of_t), R::multiply32(l, s));
      total = Base::add(total, Base::add(R::template shift_right64<25>(low), R::multiply32(h, s)));
    }
    CYCLOTOME_INLINE Vector sum() const { return total; }
  };
};

/// Products value by value and sums of products on doubles, for moduli and words below 2^50 (lanes_double.hpp). Every
/// product of residues is reduced to within 7/8 q; sums are, once for as many terms as their scale allows.
template <class R>
struct ArithmeticDouble {
  using L = LanesDouble<R>;
  using Lanes = Pointwise<L>;
  using Loops = Sums<Lanes64<R>>;  // of as many lanes
  using Word = typename L::Word;
  using Vector = typename L::Vector;
  using Prime = typename L::Prime;
  using Factor = typename L::Factor;
  using Scale = typename L::Scale;
  using Q = Modulus<Word>;

  static constexpr Word limit = max_double_modulus;
  static_assert(L::Ranges::product(L::Ranges::unit, false) < L::Ranges::unit);  // so products of residues are near
  using Surroundings = UsualArithmetic;

  CYCLOTOME_INLINE static Vector loaded(const Word* x) { return L::entered(L::Registers::load(x)); }
  /// a b, a as a double, b a word.
  CYCLOTOME_INLINE static Vector product(Vector a, Vector b, const Prime& p) {
    return cpu::multiply<L>(a, L::factor(b, b), p);
  }

  static void multiply(Word* out, const Word* a, const Word* b, std::size_t count, const Q& q) noexcept {
    const Prime p(q.value());
    Lanes::over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          Lanes::store(out + c, L::left_near(product(loaded(a + c), Lanes::load(b + c), p), p));
        },
        [&](std::size_t c, std::size_t rest) { Lanes::scalar().multiply(out + c, a + c, b + c, rest, q); });
  }

  static void multiply_accumulate(Word* accumulator, const Word* a, const Word* b, std::size_t count,
                                  const Q& q) noexcept {
    const Prime p(q.value());
    Lanes::over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          const Vector factor = Lanes::load(b + c);
          const Vector sum = L::multiply_add(loaded(a + c), L::factor(factor, factor), loaded(accumulator + c), p);
          Lanes::store(accumulator + c, L::left_near(sum, p));
        },
        [&](std::size_t c, std::size_t rest) {
          Lanes::scalar().multiply_accumulate(accumulator + c, a + c, b + c, rest, q);
        });
  }

  static void scale(Word* out, const Word* a, const ShoupFactor<Word>& factor, std::size_t count, Word q) noexcept {
    const Prime p(q);
    const Factor w = L::repeated(factor.operand);
    Lanes::over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          Lanes::store(out + c, L::left_near(cpu::multiply<L>(loaded(a + c), w, p), p));
        },
        [&](std::size_t c, std::size_t rest) { Lanes::scalar().scale(out + c, a + c, factor, rest, q); });
  }

  static void scale_add(Word* out, const Word* a, const ShoupFactor<Word>& factor, const Word* b, std::size_t count,
                        Word q) noexcept {
    const Prime p(q);
    const Factor w = L::repeated(factor.operand);
    Lanes::over(
        count,
        [&](std::size_t c) __attribute__((always_inline)) {
          Lanes::store(out + c, L::left_near(L::multiply_add(loaded(a + c), w, loaded(b + c), p), p));
        },
        [&](std::size_t c, std::size_t rest) { Lanes::scalar().scale_add(out + c, a + c, factor, b + c, rest, q); });
  }

  /// Sums in `width` registers from `start` on, doubles within q, reduced every `step` terms; add(sum, i, k) adds
  /// product k to register i, which is modulo prime_of(i) and scaled by scale_of(i); store(i, residues) in the end.
  template <std::size_t width, class PrimeOf, class ScaleOf, class Add, class Store>
  CYCLOTOME_INLINE static void sum(std::size_t terms, std::size_t step, const Vector* start, const PrimeOf& prime_of,
                                   const ScaleOf& scale_of, const Add& add, const Store& store) {
    Vector totals[width];
    unrolled<width>([&](auto i) __attribute__((always_inline)) { totals[i] = start[i]; });
    for (std::size_t k = 0; k < terms;) {
      const std::size_t end = std::min(k + step, terms);
      if (k != 0) {
        unrolled<width>([&](auto i) __attribute__((always_inline)) {
          totals[i] = L::conditional_subtract(totals[i], prime_of(i).limit);
        });
      }
      typename L::Sum sums[width];
      unrolled<width>([&](auto i) __attribute__((always_inline)) { sums[i] = L::nothing(scale_of(i)); });
      for (; k < end; ++k) {
        unrolled<width>([&](auto i) __attribute__((always_inline)) { add(sums[i], i, k); });
      }
      unrolled<width>([&](auto i) __attribute__((always_inline)) {
        totals[i] = L::add(totals[i], L::reduce(sums[i], scale_of(i), prime_of(i).limit));
      });
    }
    unrolled<width>([&](auto i) __attribute__((always_inline)) { store(i, L::left(totals[i], prime_of(i))); });
  }
  /// The same for registers of one polynomial.
  template <std::size_t width, class Add>
  CYCLOTOME_INLINE static void sum(Word* out, std::size_t terms, const Prime& p, const Scale& scale,
                                   const Vector* start, const Add& add) {
    sum<width>(
        terms, scale.terms, start, [&](std::size_t) __attribute__((always_inline)) -> const Prime& { return p; },
        [&](std::size_t) __attribute__((always_inline)) -> const Scale& { return scale; }, add,
        [&](std::size_t i, Vector v) __attribute__((always_inline)) { L::Registers::store(out + i * L::lanes, v); });
  }

  static void inner_product(Word* out, const Word* const* a, const Word* const* b, std::size_t terms, std::size_t count,
                            const Q& q) noexcept {
    const Prime p(q.value());
    const Scale scale(q.bits(), q.bits());
    const std::size_t done = Loops::over(count, [&](std::size_t c, auto width) __attribute__((always_inline)) {
      const Vector zeros[width] = {};
      sum<width>(out + c, terms, p, scale, zeros,
                 [&](typename L::Sum& sum, std::size_t i, std::size_t k) __attribute__((always_inline)) {
                   const std::size_t at = c + i * L::lanes;
                   __builtin_prefetch(a[k] + at + Loops::ahead);
                   __builtin_prefetch(b[k] + at + Loops::ahead);
                   const Vector w = L::Registers::load(b[k] + at);
                   L::accumulate(sum, loaded(a[k] + at), L::factor(w, w));
                 });
    });
    Loops::rest_of_inner_product(out, a, b, terms, done, count, q);
  }

  static void weighted_sum(Word* out, std::size_t count, Tile<const Word> x, std::span<const Word> factors,
                           unsigned x_bits, const Q& q, const Word* extra, Word extra_factor) noexcept {
    const Prime p(q.value());
    const Scale scale(x_bits, q.bits());
    const Factor of_extra = L::repeated(extra_factor);
    const std::size_t done = Loops::over(count, [&](std::size_t c, auto width) __attribute__((always_inline)) {
      Vector start[width] = {};
      if (extra != nullptr) {
        unrolled<width>([&](auto i) __attribute__((always_inline)) {
          start[i] = cpu::multiply<L>(loaded(extra + c + i * L::lanes), of_extra, p);
        });
      }
      sum<width>(out + c, factors.size(), p, scale, start,
                 [&](typename L::Sum& sum, std::size_t i, std::size_t k) __attribute__((always_inline)) {
                   L::accumulate(sum, loaded(x.limb(k) + c + i * L::lanes), L::repeated(factors[k]));
                 });
    });
    if (done != count) {
      scalar_kernels<Word>().weighted_sum(out + done, count - done, x.after(done), factors, x_bits, q,
                                          extra == nullptr ? nullptr : extra + done, extra_factor);
    }
  }

  /// The factors of several targets become doubles once for all coefficients, and each x once for all targets.
  static void weighted_sums(Tile<Word> out, std::size_t count, Tile<const Word> x, std::size_t limbs,
                            const Word* matrix, unsigned x_bits, const Q* targets, const Word* extra,
                            const Word* extra_factors) noexcept {
    constexpr std::size_t most_limbs = 64, width = L::Registers::registers / 16, registers = width * L::lanes;
    std::size_t c = 0;
    if (limbs <= most_limbs) {
      double factors[most_limbs][targets_at_once];
      for (std::size_t k = 0; k < limbs; ++k) {
        for (std::size_t j = 0; j < targets_at_once; ++j) factors[k][j] = static_cast<double>(matrix[j * limbs + k]);
      }
      const Prime primes[targets_at_once] = {Prime(targets[0].value()), Prime(targets[1].value()),
                                             Prime(targets[2].value()), Prime(targets[3].value())};
      const Scale scales[targets_at_once] = {Scale(x_bits, targets[0].bits()), Scale(x_bits, targets[1].bits()),
                                             Scale(x_bits, targets[2].bits()), Scale(x_bits, targets[3].bits())};
      const std::size_t step =
          std::min(std::min(scales[0].terms, scales[1].terms), std::min(scales[2].terms, scales[3].terms));
      for (; c + registers <= count; c += registers) {
        Vector start[targets_at_once * width] = {};
        if (extra != nullptr) {
          unrolled<targets_at_once * width>([&](auto i) __attribute__((always_inline)) {
            start[i] = cpu::multiply<L>(loaded(extra + c + i % width * L::lanes), L::repeated(extra_factors[i / width]),
                                        primes[i / width]);
          });
        }
        sum<targets_at_once * width>(
            limbs, step, start,
            [&](std::size_t i) __attribute__((always_inline)) -> const Prime& { return primes[i / width]; },
            [&](std::size_t i) __attribute__((always_inline)) -> const Scale& { return scales[i / width]; },
            [&](typename L::Sum& sum, std::size_t i, std::size_t k) __attribute__((always_inline)) {
              const Vector row = loaded(x.limb(k) + c + i % width * L::lanes);
              L::accumulate(sum, row, L::repeated(factors[k][i / width]));
            },
            [&](std::size_t i, Vector v) __attribute__((always_inline)) {
              L::Registers::store(out.limb(i / width) + c + i % width * L::lanes, v);
            });
      }
    }
    if (c == count) return;
    for (std::size_t j = 0; j < targets_at_once; ++j) {
      weighted_sum(out.limb(j) + c, count - c, x.after(c), {matrix + j * limbs, limbs}, x_bits, targets[j],
                   extra == nullptr ? nullptr : extra + c, extra == nullptr ? Word{0} : extra_factors[j]);
    }
  }

  /// What doubles serve; other kernels are null.
  static constexpr Kernels<Word> table = [] {
    Kernels<Word> kernels{};
    kernels.forward_transform = Forward<L>::run;
    kernels.inverse_transform = Inverse<L>::run;
    kernels.multiply = multiply;
    kernels.multiply_accumulate = multiply_accumulate;
    kernels.scale = scale;
    kernels.scale_add = scale_add;
    kernels.inner_product = inner_product;
    kernels.weighted_sum = weighted_sum;
    kernels.weighted_sums = weighted_sums;
    kernels.count_wraps = Sums<LanesShort<R>>::count_wraps;
    return kernels;
  }();
};

}  // namespace
}  // namespace cyclotome::cpu
