// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes_near_sums.hpp"
#include "cyclotome/engine/cpu/vector/unrolled.hpp"

namespace cyclotome::cpu {
namespace {

/// Sums of products with one reduction at the end.
template <class L>
struct Sums {
  using Word = typename L::Word;
  using Vector = typename L::Vector;

  /// Registers of sums kept at once, so that the multipliers' latency is hidden.
  static constexpr std::size_t together = L::Registers::registers / 8;

  /// Words that inner products fetch ahead: they read more polynomials at once than processors follow by themselves.
  static constexpr std::size_t ahead = 1024 / sizeof(Word);

  /// Both operands' next words, once for each line of the cache: register i of a block at coefficient `at`.
  CYCLOTOME_INLINE static void fetch_ahead(const Word* a, const Word* b, std::size_t i) {
    constexpr std::size_t line = 64;
    if (i * L::Registers::bytes % line != 0) return;
    __builtin_prefetch(a + ahead);
    __builtin_prefetch(b + ahead);
  }

  /// Terms between two calls of L::settle.
  static constexpr std::size_t unsettled = [] {
    if constexpr (requires { L::unsettled_terms; }) {
      return L::unsettled_terms;
    } else {
      return std::size_t{4};
    }
  }();

  /// One factor for all lanes.
  CYCLOTOME_INLINE static auto repeated_operand(Word factor) { return L::operand(L::broadcast(factor)); }

  /// `width` sums of a register each: `first(i)` starts sum i, settled; `add(sum i, i, term)` adds a product to it;
  /// `reduce(i, sum i)` makes a residue of it, and `store(i, residue)` stores that in the end.
  template <std::size_t width, class First, class Add, class Reduce, class Store>
  CYCLOTOME_INLINE static void sum(std::size_t terms, std::size_t step, const First& first, const Add& add,
                                   const Reduce& reduce, const Store& store) {
    typename L::Sum sums[width];
    unrolled<width>([&](auto i) __attribute__((always_inline)) { sums[i] = first(i); });
    for (std::size_t term = 0, chunk_end = step; term < terms; chunk_end += step) {
      if (term != 0) {
        unrolled<width>([&](auto i) __attribute__((always_inline)) { sums[i] = L::sum_of(reduce(i, sums[i])); });
      }
      while (term < terms && term < chunk_end) {
        std::size_t end = term + unsettled;
        if (end > chunk_end) end = chunk_end;
        if (end > terms) end = terms;
        for (; term < end; ++term) {
          unrolled<width>([&](auto i) __attribute__((always_inline)) { add(sums[i], i, term); });
        }
        unrolled<width>([&](auto i) __attribute__((always_inline)) { L::settle(sums[i]); });
      }
    }
    unrolled<width>([&](auto i) __attribute__((always_inline)) { store(i, reduce(i, sums[i])); });
  }
  /// The same for registers of one polynomial.
  template <std::size_t width, class First, class Add>
  CYCLOTOME_INLINE static void sum(Word* out, std::size_t terms, std::size_t step, const typename L::Reducer& reducer,
                                   const First& first, const Add& add) {
    sum<width>(
        terms, step, first, add,
        [&](std::size_t, const typename L::Sum& s) __attribute__((always_inline)) { return L::reduce(s, reducer); },
        [&](std::size_t i, Vector v) __attribute__((always_inline)) { L::Registers::store(out + i * L::lanes, v); });
  }

  /// body(c, number of registers as a constant) for all whole registers; the number of coefficients done.
  template <class Body>
  CYCLOTOME_INLINE static std::size_t over(std::size_t count, const Body& body) {
    std::size_t c = 0;
    for (; c + together * L::lanes <= count; c += together * L::lanes) {
      body(c, std::integral_constant<std::size_t, together>{});
    }
    for (; c + L::lanes <= count; c += L::lanes) body(c, std::integral_constant<std::size_t, 1>{});
    return c;
  }

  /// Terms between reductions: what the double word of 32-bit lanes takes, or what the lanes' own sums take, less the
  /// reduced sum that starts a chunk and an extra product.
  static std::size_t step_of(unsigned x_bits, const Modulus<Word>& q) noexcept {
    if constexpr (sizeof(Word) == 4) {
      return lazy_terms(x_bits, q) - 2;
    } else if constexpr (requires { L::terms(x_bits, q.bits()); }) {
      return L::terms(x_bits, q.bits());
    } else {
      return L::sum_terms - 2;
    }
  }

  static void inner_product(Word* out, const Word* const* a, const Word* const* b, std::size_t terms, std::size_t count,
                            const Modulus<Word>& q) noexcept {
    if constexpr (NearSums<L>::exist) {
      if (NearSums<L>::with(q.bits(), q, terms,
                            [&](auto near) { Sums<decltype(near)>::inner_product(out, a, b, terms, count, q); })) {
        return;
      }
    }
    const typename L::Reducer reducer(q);
    const std::size_t step = step_of(q.bits(), q);
    const std::size_t done = over(count, [&](std::size_t c, auto width) __attribute__((always_inline)) {
      sum<width>(
          out + c, terms, step, reducer, [](std::size_t) __attribute__((always_inline)) { return L::nothing(); },
          [&](typename L::Sum& s, std::size_t i, std::size_t term) __attribute__((always_inline)) {
            const std::size_t at = c + i * L::lanes;
            fetch_ahead(a[term] + at, b[term] + at, i);
            L::accumulate(s, L::Registers::load(a[term] + at), L::operand(L::Registers::load(b[term] + at)));
          });
    });
    rest_of_inner_product(out, a, b, terms, done, count, q);
  }

  /// Less than a register.
  static void rest_of_inner_product(Word* out, const Word* const* a, const Word* const* b, std::size_t terms,
                                    std::size_t done, std::size_t count, const Modulus<Word>& q) noexcept {
    for (std::size_t c = done; c < count; ++c) {
      Word value = 0;
      for (std::size_t i = 0; i < terms; ++i) value = q.add(value, q.multiply(a[i][c], b[i][c]));
      out[c] = value;
    }
  }

  /// Factors of a weighted sum as operands: made for all coefficients where lanes take them apart, of `prepared_terms`
  /// at most, and else as they come.
  class PreparedFactors {
   public:
    CYCLOTOME_INLINE explicit PreparedFactors(std::span<const Word> factors) : factors_(factors) {
      if constexpr (prepares) {
        for (std::size_t i = 0; i < factors.size(); ++i) operands_[i] = repeated_operand(factors[i]);
      }
    }
    CYCLOTOME_INLINE typename L::Operand operator[](std::size_t i) const {
      if constexpr (prepares) {
        return operands_[i];
      } else {
        return repeated_operand(factors_[i]);
      }
    }

   private:
    static constexpr bool prepares = requires { L::prepared_terms; };
    static constexpr std::size_t room = [] {
      if constexpr (prepares) {
        return L::prepared_terms;
      } else {
        return std::size_t{1};
      }
    }();
    std::span<const Word> factors_;
    typename L::Operand operands_[room];
  };

  static void weighted_sum(Word* out, std::size_t count, Tile<const Word> x, std::span<const Word> factors,
                           unsigned x_bits, const Modulus<Word>& q, const Word* extra, Word extra_factor) noexcept {
    if constexpr (NearSums<L>::exist) {
      if (NearSums<L>::with(x_bits, q, factors.size(), [&](auto near) {
            Sums<decltype(near)>::weighted_sum(out, count, x, factors, x_bits, q, extra, extra_factor);
          })) {
        return;
      }
    }
    const typename L::Reducer reducer(q);
    const std::size_t step = step_of(x_bits, q);
    const auto extra_operand = repeated_operand(extra_factor);
    const PreparedFactors prepared(factors);
    const std::size_t done = over(count, [&](std::size_t c, auto width) __attribute__((always_inline)) {
      sum<width>(
          out + c, factors.size(), step, reducer,
          [&](std::size_t i) __attribute__((always_inline)) {
            auto s = L::nothing();
            if (extra != nullptr) L::accumulate(s, L::Registers::load(extra + c + i * L::lanes), extra_operand);
            L::settle(s);
            return s;
          },
          [&](typename L::Sum& s, std::size_t i, std::size_t term) __attribute__((always_inline)) {
            const Vector row = L::Registers::load(x.limb(term) + c + i * L::lanes);
            L::accumulate(s, row, prepared[term]);
          });
    });
    if (done != count) {
      scalar_kernels<Word>().weighted_sum(out + done, count - done, x.after(done), factors, x_bits, q,
                                          extra == nullptr ? nullptr : extra + done, extra_factor);
    }
  }

  /// Whether sums for several targets stay in registers; with 16 of them one target after the other was faster.
  static constexpr bool many_registers = L::Registers::registers == 32 && sizeof(typename L::Sum) <= 2 * sizeof(Vector);

  static void weighted_sums(Tile<Word> out, std::size_t count, Tile<const Word> x, std::size_t limbs,
                            const Word* matrix, unsigned x_bits, const Modulus<Word>* targets, const Word* extra,
                            const Word* extra_factors) noexcept {
    constexpr std::size_t width = 2, registers = width * L::lanes;
    using Reducer = typename L::Reducer;
    const Reducer reducers[targets_at_once] = {Reducer(targets[0]), Reducer(targets[1]), Reducer(targets[2]),
                                               Reducer(targets[3])};
    const std::size_t step = std::min(std::min(step_of(x_bits, targets[0]), step_of(x_bits, targets[1])),
                                      std::min(step_of(x_bits, targets[2]), step_of(x_bits, targets[3])));
    std::size_t c = 0;
    for (; c + registers <= count; c += registers) {
      sum<targets_at_once * width>(
          limbs, step,
          [&](std::size_t i) __attribute__((always_inline)) {
            auto s = L::nothing();
            if (extra != nullptr) {
              L::accumulate(s, L::Registers::load(extra + c + i % width * L::lanes),
                            repeated_operand(extra_factors[i / width]));
            }
            L::settle(s);
            return s;
          },
          [&](typename L::Sum& s, std::size_t i, std::size_t term) __attribute__((always_inline)) {
            const Vector row = L::Registers::load(x.limb(term) + c + i % width * L::lanes);
            L::accumulate(s, row, repeated_operand(matrix[i / width * limbs + term]));
          },
          [&](std::size_t i, const typename L::Sum& s)
              __attribute__((always_inline)) { return L::reduce(s, reducers[i / width]); },
          [&](std::size_t i, Vector v) __attribute__((always_inline)) {
            L::Registers::store(out.limb(i / width) + c + i % width * L::lanes, v);
          });
    }
    if (c == count) return;
    unrolled<targets_at_once>([&](auto j) {
      weighted_sum(out.limb(j) + c, count - c, x.after(c), {matrix + j * limbs, limbs}, x_bits, targets[j],
                   extra == nullptr ? nullptr : extra + c, extra == nullptr ? Word{0} : extra_factors[j]);
    });
  }

  static void count_wraps(Word* wraps, std::size_t count, Tile<const Word> y, const BaseConversion& conversion,
                          std::uint64_t* peak) noexcept {
    const auto source = conversion.source().moduli<Word>();
    if (source.size() == 1) {
      const Vector q = L::broadcast(source[0].value());
      std::size_t c = 0;
      for (; c + L::lanes <= count; c += L::lanes) {
        const Vector v = L::Registers::load(y.limb(0) + c);
        L::Registers::store(wraps + c, L::reaches(v, L::subtract(q, v)));
      }
      if (c != count) scalar_kernels<Word>().count_wraps(wraps + c, count - c, y.after(c), conversion, peak);
    } else if constexpr (sizeof(Word) == 4) {
      // Widening loops that compilers turn into vector code for the instruction set of this file.
      std::uint64_t fractions[conversion_tile];
      for (std::size_t c = 0; c < count; ++c) fractions[c] = std::uint64_t{1} << (fraction_bits - 1);
      for (std::size_t i = 0; i < source.size(); ++i) {
        const std::uint64_t reciprocal = conversion.tables<Word>().reciprocals[i];
        const Word* const row = y.limb(i);
        for (std::size_t c = 0; c < count; ++c) fractions[c] += (row[c] * reciprocal) >> (63 - fraction_bits);
      }
      for (std::size_t c = 0; c < count; ++c) wraps[c] = static_cast<Word>(fractions[c] >> fraction_bits);
      if (peak != nullptr) raise_peak(*peak, fractions, count);
    } else {
      count_wraps64(wraps, count, y, conversion, peak);
    }
  }

  static Word largest_centred(const Word* a, std::size_t count, Word q) noexcept {
    Word largest = 0;  // loops that compilers turn into vector code, here too
    for (std::size_t c = 0; c < count; ++c) {
      const Word opposite = static_cast<Word>(q - a[c]), distance = a[c] < opposite ? a[c] : opposite;
      largest = distance > largest ? distance : largest;
    }
    return largest;
  }

 private:
  using R = typename L::Registers;

  static void count_wraps64(Word* wraps, std::size_t count, Tile<const Word> y, const BaseConversion& conversion,
                            std::uint64_t* peak) noexcept {
    const auto source = conversion.source().moduli<Word>();
    std::uint64_t sums[conversion_tile];
    const auto& reciprocals = conversion.tables<Word>().reciprocals;
    const std::size_t c = over(count, [&](std::size_t at, auto width) __attribute__((always_inline)) {
      const Vector half = R::broadcast64(std::uint64_t{1} << (fraction_bits - 1));
      Vector total[width];
      if constexpr (requires { typename L::Fractions; }) {
        typename L::Fractions fractions[width];
        for (std::size_t i = 0; i < source.size(); ++i) {
          unrolled<width>([&](auto r) __attribute__((always_inline)) {
            fractions[r].add(R::load(y.limb(i) + at + r * L::lanes), reciprocals[i], source[i].bits());
          });
        }
        unrolled<width>([&](auto r) __attribute__((always_inline)) { total[r] = R::add64(half, fractions[r].sum()); });
      } else {
        unrolled<width>([&](auto r) __attribute__((always_inline)) { total[r] = half; });
        for (std::size_t i = 0; i < source.size(); ++i) {
          // (y reciprocal) >> (bits + 7), from the high word of a product.
          const Vector reciprocal = R::broadcast64(reciprocals[i]);
          const unsigned shift = source[i].bits() + 63 - fraction_bits, up = shift < 64 ? 64 - shift : 0;
          unrolled<width>([&](auto r) __attribute__((always_inline)) {
            const Vector shifted = R::shift_left64_by(R::load(y.limb(i) + at + r * L::lanes), up);
            const Vector high = multiply_high64<R>(shifted, reciprocal);
            total[r] = R::add64(total[r], R::shift_right64_by(high, shift + up - 64));
          });
        }
      }
      unrolled<width>([&](auto r) __attribute__((always_inline)) {
        R::store(wraps + at + r * L::lanes, R::template shift_right64<fraction_bits>(total[r]));
        if (peak != nullptr) R::store(sums + at + r * L::lanes, total[r]);
      });
    });
    if (peak != nullptr) raise_peak(*peak, sums, c);
    if (c != count) scalar_kernels<Word>().count_wraps(wraps + c, count - c, y.after(c), conversion, peak);
  }
};

}  // namespace
}  // namespace cyclotome::cpu
