// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp.

#include "cyclotome/engine/cpu/vector/sums.hpp"

namespace cyclotome::cpu {
namespace {

/// Weighted sums modulo several q = 2^b - d (NearPower), b <= q_bits, of the same x < 2^x_bits, each register of which
/// is taken apart once for all targets: x = x1 2^s + x0. Of a factor w both w and 2^s w modulo q, of either sign, are
/// parted at t bits, W = Wh 2^t + Wl, so that two sums that nothing carries between hold all products: of x0 Wl + x1
/// Wl' and of x0 Wh + x1 Wh'. Four multiplications and eight operations a term, and half of one for x.
template <class R, unsigned x_bits, unsigned q_bits>
struct NearTargets {
  using Word = std::uint64_t;
  using Vector = typename R::Vector;
  using Near = Lanes64Near<R, q_bits <= 57 ? 57 : 61>;
  using Prime = typename Near::Prime;
  using Q = Modulus<Word>;

  static constexpr std::size_t lanes = R::bytes / sizeof(Word);
  static constexpr unsigned s = (x_bits + 1) / 2, t = q_bits / 2;
  /// Products between two reductions, beside a residue and an `extra`, and those that factors are prepared for.
  static constexpr std::size_t terms = 15, most_factors = 32, most_limbs = most_factors - 1;

  // |Wl| <= 2^(t - 1) and |Wh| <= 2^(q_bits - 1 - t) + 1; extras are below 2^10.
  static constexpr u128 x_parts = (u128{1} << s) + (u128{1} << (x_bits - s));
  static constexpr u128 most_low = terms * (x_parts << (t - 1)) + (u128{1} << 42) + (u128{1} << q_bits);
  static constexpr u128 most_high = terms * x_parts * ((u128{1} << (q_bits - 1 - t)) + 1) + (u128{1} << 42);
  static constexpr u128 product =
      u128{Near::Ranges::product(Near::Ranges::widest(false), false)} * (q_bits <= 57 ? u128{1} << 43 : u128{1} << 47);
  static_assert(s < 32 && most_high < (u128{1} << 63) - (u128{1} << 53));
  static_assert(most_low + product < (u128{1} << 63) - (u128{1} << 40));

  struct Factor {
    Vector low, high, lifted_low, lifted_high;
  };
  struct Target {
    Prime p;
    typename Near::Factor step;  // 2^t
    explicit Target(Word q) : p(q) {
      const HalvedFactor power(Word{1} << t, NearPower(q));
      step = Near::factor(R::broadcast64(power.factor), R::broadcast64(power.lifted));
    }
  };

  /// The number of coefficients done, in whole registers.
  static std::size_t run(Tile<Word> out, std::size_t count, Tile<const Word> x, std::size_t limbs, const Word* matrix,
                         const Q* moduli, const Word* extra, const Word* extra_factors) noexcept {
    static_assert(targets_at_once == 4);
    const Target targets[targets_at_once] = {Target(moduli[0].value()), Target(moduli[1].value()),
                                             Target(moduli[2].value()), Target(moduli[3].value())};
    Factor factors[most_factors][targets_at_once];
    each([&](auto j) __attribute__((always_inline)) {
      prepare<j>(factors, matrix + j * limbs, limbs, extra == nullptr ? 0 : extra_factors[j], moduli[j].value());
    });
    const Factor* const of_extra = factors[limbs];
    std::size_t c = 0;
    for (; c + lanes <= count; c += lanes) {
      Vector low[targets_at_once], high[targets_at_once];
      const Vector more = extra == nullptr ? R::zero() : R::load(extra + c);
      each([&](auto j) __attribute__((always_inline)) {
        low[j] = R::multiply_signed32(more, of_extra[j].low);
        high[j] = R::multiply_signed32(more, of_extra[j].high);
      });
      for (std::size_t k = 0; k < limbs;) {
        if (k != 0) {
          each([&](auto j) __attribute__((always_inline)) {
            low[j] = reduced(low[j], high[j], targets[j]);
            high[j] = R::zero();
          });
        }
        for (const std::size_t end = std::min(limbs, k + terms); k < end; ++k)
          add(low, high, R::load(x.limb(k) + c), factors[k]);
      }
      each([&](auto j)
               __attribute__((always_inline)) { R::store(out.limb(j) + c, reduced(low[j], high[j], targets[j])); });
    }
    return c;
  }

 private:
  /// Factors of target j, and behind them that of the extra, taken apart as NearPower does it, some at a time.
  template <std::size_t j>
  CYCLOTOME_INLINE static void prepare(Factor (*factors)[targets_at_once], const Word* row, std::size_t limbs,
                                       Word extra, Word q) {
    const NearPower near(q);
    const Vector modulus = word(q), middle = word(q / 2), all = word((Word{1} << near.bits) - 1),
                 bits = word(near.bits);
    const Vector below = word(near.below), upper = word(near.bits - s), lower = word((Word{1} << (near.bits - s)) - 1);
    Word plain[most_factors] = {}, low[2][most_factors], high[2][most_factors];
    std::copy(row, row + limbs, plain);
    plain[limbs] = extra;
    for (std::size_t k = 0; k <= limbs; k += lanes) {
      const Vector w = R::load(plain + k);
      const Vector folded = R::add64(R::multiply32(R::shift_right64_each(w, upper), below),
                                     R::template shift_left64<s>(R::both(w, lower)));
      const Vector rest = R::add64(R::both(folded, all), R::multiply32(R::shift_right64_each(folded, bits), below));
      const Vector both[] = {w, R::conditional_subtract64(rest, modulus)};
      unrolled<2>([&](auto i) __attribute__((always_inline)) {
        const Vector x = both[i];
        const Vector whole = R::choose_by_sign64(R::subtract64(middle, x), x, R::subtract64(x, modulus));
        const Vector above = R::template shift_right64<t>(R::add64(whole, word(Word{1} << (t - 1))));
        R::store(high[i] + k, above);  // 32 bits of it
        R::store(low[i] + k, R::subtract64(whole, R::template shift_left64<t>(above)));
      });
    }
    for (std::size_t k = 0; k <= limbs; ++k) {
      factors[k][j] = {word(low[0][k]), word(high[0][k]), word(low[1][k]), word(high[1][k])};
    }
  }

  CYCLOTOME_INLINE static Vector word(Word x) { return R::broadcast64(x); }
  template <class Body>
  CYCLOTOME_INLINE static void each(const Body& body) {
    unrolled<targets_at_once>(body);
  }
  CYCLOTOME_INLINE static void add(Vector* low, Vector* high, Vector x, const Factor* w) {
    const Vector below = R::both(x, R::broadcast64((Word{1} << s) - 1)), above = R::template shift_right64<s>(x);
    each([&](auto j) __attribute__((always_inline)) {
      low[j] = R::add64(low[j],
                        R::add64(R::multiply_signed32(below, w[j].low), R::multiply_signed32(above, w[j].lifted_low)));
      high[j] = R::add64(
          high[j], R::add64(R::multiply_signed32(below, w[j].high), R::multiply_signed32(above, w[j].lifted_high)));
    });
  }
  /// low + 2^t high -> [0, q).
  CYCLOTOME_INLINE static Vector reduced(Vector low, Vector high, const Target& target) {
    return Near::left(Near::add(multiply<Near>(high, target.step, target.p), low), target.p);
  }
};

/// Whether L sums for several targets by NearTargets.
template <class L>
inline constexpr bool has_near_targets = false;
template <class R>
  requires(R::bytes == 32)
inline constexpr bool has_near_targets<Lanes64<R>> = true;

/// Kernels' weighted_sums: by NearTargets if all targets are near a power of two and either they or the x are short;
/// else one after the other.
template <class L>
void near_weighted_sums(Tile<std::uint64_t> out, std::size_t count, Tile<const std::uint64_t> x, std::size_t limbs,
                        const std::uint64_t* matrix, unsigned x_bits, const Modulus<std::uint64_t>* targets,
                        const std::uint64_t* extra, const std::uint64_t* extra_factors) noexcept {
  using R = typename L::Registers;
  using Word = typename L::Word;
  std::size_t done = 0;
  const Word largest =
      std::max(std::max(targets[0].value(), targets[1].value()), std::max(targets[2].value(), targets[3].value()));
  const bool near = NearPower::includes(targets[0].value()) && NearPower::includes(targets[1].value()) &&
                    NearPower::includes(targets[2].value()) && NearPower::includes(targets[3].value());
  if (near && limbs <= NearTargets<R, 56, 61>::most_limbs) {
    if (x_bits <= 56) {
      done = NearTargets<R, 56, 61>::run(out, count, x, limbs, matrix, targets, extra, extra_factors);
    } else if (largest < Word{1} << 56) {
      done = NearTargets<R, 61, 56>::run(out, count, x, limbs, matrix, targets, extra, extra_factors);
    }
  }
  if (done == count) return;
  for (std::size_t j = 0; j < targets_at_once; ++j) {
    Sums<L>::weighted_sum(out.limb(j) + done, count - done, x.after(done), {matrix + j * limbs, limbs}, x_bits,
                          targets[j], extra == nullptr ? nullptr : extra + done,
                          extra == nullptr ? 0 : extra_factors[j]);
  }
}

}  // namespace
}  // namespace cyclotome::cpu
