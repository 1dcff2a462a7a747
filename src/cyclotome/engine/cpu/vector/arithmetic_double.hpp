// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp.

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/vector/forward.hpp"
#include "cyclotome/engine/cpu/vector/inverse.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes_double.hpp"
#include "cyclotome/engine/cpu/vector/pointwise.hpp"
#include "cyclotome/engine/cpu/vector/sums.hpp"
#include "cyclotome/engine/cpu/vector/usual_arithmetic.hpp"

namespace cyclotome::cpu {
namespace {

/// 64-bit lanes for moduli below 2^50, of which 32-bit products of 25-bit halves leave room for sums.
template <class R>
struct Lanes64Short : Lanes64<R> {
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
  /// Whether there are integer lanes for what is left over; NEON leaves it to the scalar table.
  static constexpr bool has_integers = requires(Vector v) { R::product_low64(v, v); };
  static constexpr auto integer_sum = [] {
    if constexpr (has_integers) {
      return &Loops::weighted_sum;
    } else {
      return decltype(Kernels<Word>::weighted_sum){nullptr};
    }
  }();
  /// Limbs of which factors become doubles beforehand.
  static constexpr std::size_t most_limbs = 64;

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
          Lanes::store(out + c, L::left_near(cpu::multiply<L>(L::entered(Lanes::load_and_fetch(a + c)), w, p), p));
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
          Lanes::store(out + c,
                       L::left_near(L::multiply_add(L::entered(Lanes::load_and_fetch(a + c)), w, loaded(b + c), p), p));
        },
        [&](std::size_t c, std::size_t rest) { Lanes::scalar().scale_add(out + c, a + c, factor, b + c, rest, q); });
  }

  /// Sums in `width` registers, reduced after `first` terms and then every `step`: register i is modulo prime_of(i) and
  /// scaled by scale_of(i). begin(sum, i) adds what comes before all terms, add(sum, i, k) product k; store(i,
  /// residues) in the end.
  template <std::size_t width, class PrimeOf, class ScaleOf, class Begin, class Add, class Store>
  CYCLOTOME_INLINE static void sum(std::size_t terms, std::size_t first, std::size_t step, const PrimeOf& prime_of,
                                   const ScaleOf& scale_of, const Begin& begin, const Add& add, const Store& store) {
    Vector totals[width] = {};
    for (std::size_t k = 0, end = std::min(first, terms); k < terms; end = std::min(end + step, terms)) {
      typename L::Sum sums[width];
      unrolled<width>([&](auto i) __attribute__((always_inline)) { sums[i] = L::nothing(scale_of(i)); });
      if (k == 0) {
        unrolled<width>([&](auto i) __attribute__((always_inline)) { begin(sums[i], i); });
      } else {
        unrolled<width>([&](auto i) __attribute__((always_inline)) {
          totals[i] = L::conditional_subtract(totals[i], prime_of(i).limit);
        });
      }
      for (; k < end; ++k) {
        unrolled<width>([&](auto i) __attribute__((always_inline)) { add(sums[i], i, k); });
      }
      unrolled<width>([&](auto i) __attribute__((always_inline)) {
        totals[i] = L::add(totals[i], L::reduce(sums[i], scale_of(i), prime_of(i).limit));
      });
    }
    unrolled<width>([&](auto i) __attribute__((always_inline)) { store(i, L::left(totals[i], prime_of(i))); });
  }

  static void inner_product(Word* out, const Word* const* a, const Word* const* b, std::size_t terms, std::size_t count,
                            const Q& q) noexcept {
    const Prime p(q.value());
    const Scale scale(q.bits(), q.bits());
    const std::size_t done = Loops::over(count, [&](std::size_t c, auto width) __attribute__((always_inline)) {
      sum<width>(
          terms, scale.terms, scale.terms,
          [&](std::size_t) __attribute__((always_inline)) -> const Prime& { return p; },
          [&](std::size_t) __attribute__((always_inline)) -> const Scale& { return scale; },
          [](typename L::Sum&, std::size_t) __attribute__((always_inline)) {},
          [&](typename L::Sum& sum, std::size_t i, std::size_t k) __attribute__((always_inline)) {
            const std::size_t at = c + i * L::lanes;
            Loops::fetch_ahead(a[k] + at, b[k] + at, i);
            const Vector w = L::Registers::load(b[k] + at);
            L::accumulate(sum, loaded(a[k] + at), L::factor(w, w));
          },
          [&](std::size_t i, Vector v)
              __attribute__((always_inline)) { L::Registers::store(out + c + i * L::lanes, v); });
    });
    Loops::rest_of_inner_product(out, a, b, terms, done, count, q);
  }

  /// A factor in [-q/2, q/2], without a branch: factors lie where data might.
  CYCLOTOME_INLINE static double centred(Word w, Word q) noexcept {
    const Word above = (q / 2 - w) >> 63;
    return static_cast<double>(static_cast<std::int64_t>(w - (q & (0 - above))));
  }

  /// Weighted sums for some targets of the same rows; the number of coefficients done, in whole blocks of `width`
  /// registers. Factors become doubles once for all coefficients, centred, so that a bit more fits a sum, and each x
  /// once for all targets. What the extra adds is at most (number of limbs) q / 2: less than what 2^t terms below 2^b
  /// leave if there are no more limbs than those terms; else it takes the place of one.
  template <std::size_t targets, std::size_t width>
  static std::size_t sums_for(Tile<Word> out, std::size_t count, Tile<const Word> x, std::size_t limbs,
                              const Word* matrix, unsigned x_bits, const Q* moduli, const Word* extra,
                              const Word* extra_factors) noexcept {
    double factors[most_limbs][targets], of_extra[targets];
    for (std::size_t j = 0; j < targets; ++j) {
      const Word q = moduli[j].value();
      of_extra[j] = extra != nullptr ? centred(extra_factors[j], q) : 0;
      for (std::size_t k = 0; k < limbs; ++k) factors[k][j] = centred(matrix[j * limbs + k], q);
    }
    std::size_t step = ~std::size_t{0};
    const auto scale_for = [&](std::size_t j) {
      const Scale scale(x_bits, moduli[j].bits() - 1);
      step = std::min(step, scale.terms);
      return scale;
    };
    const auto each = [&]<std::size_t... j>(const auto& make, std::index_sequence<j...>) {
      return std::array{make(j)...};
    };
    const auto indices = std::make_index_sequence<targets>{};
    const auto primes = each([&](std::size_t j) { return Prime(moduli[j].value()); }, indices);
    const auto scales = each(scale_for, indices);
    constexpr std::size_t registers = width * L::lanes;
    std::size_t c = 0;
    for (; c + registers <= count; c += registers) {
      sum<targets * width>(
          limbs, limbs <= step ? step : step - 1, step,
          [&](std::size_t i) __attribute__((always_inline)) -> const Prime& { return primes[i / width]; },
          [&](std::size_t i) __attribute__((always_inline)) -> const Scale& { return scales[i / width]; },
          [&](typename L::Sum& sum, std::size_t i) __attribute__((always_inline)) {
            if (extra == nullptr) return;
            L::accumulate(sum, loaded(extra + c + i % width * L::lanes), L::repeated(of_extra[i / width]));
          },
          [&](typename L::Sum& sum, std::size_t i, std::size_t k) __attribute__((always_inline)) {
            const Vector row = loaded(x.limb(k) + c + i % width * L::lanes);
            L::accumulate(sum, row, L::repeated(factors[k][i / width]));
          },
          [&](std::size_t i, Vector v) __attribute__((always_inline)) {
            L::Registers::store(out.limb(i / width) + c + i % width * L::lanes, v);
          });
    }
    return c;
  }

  static void weighted_sum(Word* out, std::size_t count, Tile<const Word> x, std::span<const Word> factors,
                           unsigned x_bits, const Q& q, const Word* extra, Word extra_factor) noexcept {
    std::size_t done = 0;
    if (factors.size() <= most_limbs) {
      done = sums_for<1, 2 * Loops::together>({out, 0}, count, x, factors.size(), factors.data(), x_bits, &q, extra,
                                              &extra_factor);
    }
    if (done == count) return;
    const auto rest = has_integers ? integer_sum : scalar_kernels<Word>().weighted_sum;
    rest(out + done, count - done, x.after(done), factors, x_bits, q, extra == nullptr ? nullptr : extra + done,
         extra_factor);
  }

  static void weighted_sums(Tile<Word> out, std::size_t count, Tile<const Word> x, std::size_t limbs,
                            const Word* matrix, unsigned x_bits, const Q* targets, const Word* extra,
                            const Word* extra_factors) noexcept {
    std::size_t done = 0;
    if (limbs <= most_limbs) {
      done = sums_for<targets_at_once, Loops::together / 2>(out, count, x, limbs, matrix, x_bits, targets, extra,
                                                            extra_factors);
    }
    if (done == count) return;
    for (std::size_t j = 0; j < targets_at_once; ++j) {
      weighted_sum(out.limb(j) + done, count - done, x.after(done), {matrix + j * limbs, limbs}, x_bits, targets[j],
                   extra == nullptr ? nullptr : extra + done, extra == nullptr ? Word{0} : extra_factors[j]);
    }
  }

  /// What doubles serve; other kernels are null.
  static constexpr Kernels<Word> table = [] {
    Kernels<Word> kernels{};
    kernels.forward_transform = Forward<L>::run;
    kernels.inverse_transform = Inverse<L>::run;
    kernels.forward_moved = Forward<L>::run_moved;
    kernels.multiply = multiply;
    kernels.multiply_accumulate = multiply_accumulate;
    kernels.scale = scale;
    kernels.scale_add = scale_add;
    kernels.inner_product = inner_product;
    kernels.weighted_sum = weighted_sum;
    if constexpr (has_integers) kernels.weighted_sums = weighted_sums;
    if constexpr (has_integers && R::registers == 16) kernels.count_wraps = Sums<Lanes64Short<R>>::count_wraps;
    return kernels;
  }();
};

}  // namespace
}  // namespace cyclotome::cpu
