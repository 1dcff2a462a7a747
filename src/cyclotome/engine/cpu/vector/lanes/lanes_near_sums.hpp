// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp.

#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"

namespace cyclotome::cpu {
namespace {

/// Factors of a weighted sum that are prepared.
inline constexpr std::size_t most_near_terms = 64;

/// Lanes for sums of products a b modulo q = 2^b - d (NearPower): a = a1 2^s + a0 and b = b1 2^t + b0 are parted so
/// that `terms` products of each two parts fit a word, and each kind has a sum of its own. A term takes four
/// multiplications and 11 or 12 operations, and no carries. a < 2^a_bits, b < q < 2^b_bits.
template <class R, unsigned a_bits, unsigned b_bits, unsigned s, unsigned t, std::size_t terms_>
struct LanesNearSums : WordLanes<R, std::uint64_t> {
  using Base = WordLanes<R, std::uint64_t>;
  using Base::add;
  using Base::broadcast;
  using typename Base::Vector;
  using typename Base::Word;
  using Near = Lanes64Near<R, b_bits <= 57 ? 57 : 61>;
  using Prime = typename Near::Prime;

  /// Beside the products a sum takes what it starts from, below q in two parts as b, and an `extra` below 2^10.
  static constexpr std::size_t terms(unsigned, unsigned) { return terms_; }
  static constexpr std::size_t sum_terms = terms_;
  /// Nothing is settled; factors of weighted sums are taken apart once.
  static constexpr std::size_t unsettled_terms = terms_, prepared_terms = most_near_terms;

  /// low + 2^t a0 b1 + 2^s a1 b0 + 2^(s + t) high
  struct Sum {
    Vector low, by_high, high_by, high;
  };
  struct Operand {
    Vector low, high;
  };

 private:
  static constexpr unsigned first = s < t ? s : t, second = s < t ? t : s, top = s + t;
  /// Of `terms` products of parts of these bits each, and what comes beside them.
  static constexpr u128 most(unsigned a_part, unsigned b_part) {
    return ((static_cast<u128>(1) << (a_part + b_part)) * terms_) + (static_cast<u128>(1) << 42);
  }
  static constexpr u128 word = static_cast<u128>(1) << 64;
  static constexpr u128 most_first = (s < t ? most(a_bits - s, t) : most(s, b_bits - t)) + (most(s, t) >> first);
  static constexpr u128 most_second =
      (s < t ? most(s, b_bits - t) : most(a_bits - s, t)) + (most_first >> (second - first));
  static constexpr u128 most_top = most(a_bits - s, b_bits - t) + (most_second >> first);
  static_assert(s <= 32 && t <= 32 && a_bits - s <= 32 && b_bits - t <= 32);
  static_assert(most(s, t) < word && most_first < word && most_second < word);
  // The highest sum is multiplied by Lanes64Near, of which the product, and 2^top, are a word of either sign.
  static_assert(most_top < word / 2 - (word >> 8) && top < 63 && b_bits <= 61);

 public:
  CYCLOTOME_INLINE static Operand operand(Vector b) {
    return {R::both(b, broadcast((Word{1} << t) - 1)), R::template shift_right64<t>(b)};
  }
  CYCLOTOME_INLINE static Sum nothing() { return {R::zero(), R::zero(), R::zero(), R::zero()}; }
  CYCLOTOME_INLINE static Sum sum_of(Vector x) {
    const Operand parts = operand(x);
    return {parts.low, parts.high, R::zero(), R::zero()};
  }
  CYCLOTOME_INLINE static void accumulate(Sum& sum, Vector a, const Operand& b) {
    const Vector a_low = s == 32 ? a : R::both(a, broadcast((Word{1} << s) - 1));
    const Vector a_high = R::template shift_right64<s>(a);
    sum.low = add(sum.low, R::multiply32(a_low, b.low));
    sum.by_high = add(sum.by_high, R::multiply32(a_low, b.high));
    sum.high_by = add(sum.high_by, R::multiply32(a_high, b.low));
    sum.high = add(sum.high, R::multiply32(a_high, b.high));
  }
  CYCLOTOME_INLINE static void settle(Sum&) {}

  struct Reducer {
    Prime p;
    typename Near::Factor wide;  // 2^top modulo q
    CYCLOTOME_INLINE explicit Reducer(const Modulus<Word>& q) : p(q.value()) {
      const NearPower near(q.value());
      const HalvedFactor power(near.power(top), near);
      wide = Near::factor(broadcast(power.factor), broadcast(power.lifted));
    }
  };
  /// -> [0, q): carries go up to the highest sum, which is multiplied by 2^top; the bits below 2^top stay.
  CYCLOTOME_INLINE static Vector reduce(const Sum& sum, const Reducer& r) {
    const Vector of_first = s < t ? sum.high_by : sum.by_high, of_second = s < t ? sum.by_high : sum.high_by;
    const Vector lower = add(of_first, R::template shift_right64<first>(sum.low));
    const Vector upper = add(of_second, R::template shift_right64<second - first>(lower));
    const Vector high = add(sum.high, R::template shift_right64<first>(upper));
    const Vector all =
        add(add(sum.low, R::template shift_left64<first>(of_first)), R::template shift_left64<second>(of_second));
    const Vector rest = add(all, R::template shift_left64<top>(sum.high));
    const Vector low = R::both(rest, broadcast((Word{1} << top) - 1));
    return Near::left(add(Near::finish(Near::begin(high, r.wide), r.p), low), r.p);
  }
};

/// Lanes for products and sums modulo a q near a power of two in place of L, or nothing: AVX-512 has a 64-bit
/// multiplier that makes up for it.
template <class L>
struct NearSums {
  static constexpr bool exist = false;
};
template <class R>
  requires(R::bytes == 32)
struct NearSums<Lanes64<R>> {
  static constexpr bool exist = true;
  /// body(lanes) of values modulo q, if it is near a power of two; whether it is.
  template <class Body>
  static bool with(std::uint64_t q, const Body& body) {
    if (!NearPower::includes(q)) return false;
    body(Lanes64Near<R>());
    return true;
  }
  /// body(lanes) if there are some for a < 2^a_bits modulo q, and so many terms; whether there are.
  template <class Body>
  static bool with(unsigned a_bits, const Modulus<std::uint64_t>& q, std::size_t terms, const Body& body) {
    if (!NearPower::includes(q.value()) || terms > most_near_terms) return false;
    if (q.bits() <= 56) {
      body(LanesNearSums<R, 61, 56, 32, 28, 15>());
    } else if (a_bits <= 56) {
      body(LanesNearSums<R, 56, 61, 28, 31, 31>());
    } else if (terms <= 3) {
      body(LanesNearSums<R, 61, 61, 31, 31, 3>());
    } else {
      return false;
    }
    return true;
  }
};

}  // namespace
}  // namespace cyclotome::cpu
