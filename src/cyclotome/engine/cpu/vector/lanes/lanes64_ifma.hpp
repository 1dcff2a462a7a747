// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512_ifma.cpp.

#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/lanes/registers_avx512.hpp"

namespace cyclotome::cpu {
namespace {

template <unsigned most_bits>
struct Lanes64Sparse;

/// Lanes of 64 bits for any modulus below 2^61, with quotients and sums from the 52-bit multipliers, which read the low
/// 52 bits of a lane: a word is one operand as it is and another of what is above.
struct Lanes64Ifma : Lanes64<Avx512> {
  /// Lanes that transforms take where they can.
  using Roomier = Lanes64Sparse<61>;
  static bool has_roomier(Word modulus) noexcept { return (modulus & 0xfff) == 1; }

  struct Factor {
    Vector operand, quotient, rest;  // of the 64-bit quotient the high 52 bits; the low 12, at the top of 52
  };
  struct Sum {
    Vector low, middle, high;  // low + 2^52 middle + 2^104 high
  };
  struct Operand {
    Vector value, high;
  };

  CYCLOTOME_INLINE static Factor factor(Vector operand, Vector quotient) {
    return {operand, Avx512::shift_right64<12>(quotient), Avx512::shift_left64<40>(quotient)};
  }
  CYCLOTOME_INLINE static Factor repeated(const ShoupFactor<Word>& w) {
    return factor(broadcast(w.operand), broadcast(w.quotient));
  }

  CYCLOTOME_INLINE static Product begin(Vector x, const Factor& w) {
    return {product_low(x, w.operand), quotient_of(x, w)};
  }

  CYCLOTOME_INLINE static Operand operand(Vector b) { return {b, Avx512::shift_right64<52>(b)}; }
  CYCLOTOME_INLINE static Sum sum_of(Vector x) { return {x, Avx512::zero(), Avx512::zero()}; }
  /// a, b < 2^61: `middle` grows by less than 3 2^52.
  CYCLOTOME_INLINE static void accumulate(Sum& sum, Vector a, const Operand& b) {
    const Vector a_high = Avx512::shift_right64<52>(a);
    sum.low = _mm512_madd52lo_epu64(sum.low, a, b.value);
    sum.middle = _mm512_madd52hi_epu64(sum.middle, a, b.value);
    sum.high = _mm512_madd52hi_epu64(sum.high, a, b.high);
    sum.middle = _mm512_madd52lo_epu64(sum.middle, a, b.high);
    sum.high = _mm512_madd52hi_epu64(sum.high, a_high, b.value);
    sum.middle = _mm512_madd52lo_epu64(sum.middle, a_high, b.value);
    sum.high = _mm512_madd52lo_epu64(sum.high, a_high, b.high);
  }
  CYCLOTOME_INLINE static Sum nothing() { return {Avx512::zero(), Avx512::zero(), Avx512::zero()}; }
  CYCLOTOME_INLINE static void settle(Sum&) {}

  struct Reducer {
    Prime p;
    Vector twice;
    Factor wide, unit;  // 2^64 mod q; 1
    CYCLOTOME_INLINE explicit Reducer(const Modulus<Word>& q)
        : p(q.value()),
          twice(broadcast(2 * q.value())),
          wide(factor(broadcast(Word{0} - q.ratio_high() * q.value()), broadcast(q.ratio_low()))),
          unit(factor(broadcast(1), broadcast(q.ratio_high()))) {}
  };
  /// A sum of at most `sum_terms` products (below 2^127) -> [0, q).
  CYCLOTOME_INLINE static Vector reduce(const Sum& sum, const Reducer& r) {
    const Vector carried = add(sum.middle, Avx512::shift_right64<52>(sum.low));
    const Vector high = add(Avx512::shift_right64<12>(carried), Avx512::shift_left64<40>(sum.high));
    const Vector low = add(sum.low, Avx512::shift_left64<52>(sum.middle));
    // Both parts' quotients are taken off at once: x is below 8q.
    const Vector quotient = add(quotient_of(low, r.unit), quotient_of(high, r.wide));
    const Vector value = add(low, product_low(high, r.wide.operand));
    const Vector x = conditional_subtract(subtract(value, product_low(quotient, r.p.q)), r.p.limit);
    return conditional_subtract(conditional_subtract(x, r.twice), r.p.q);
  }

 private:
  /// Of x = x1 2^52 + x0 and the quotient W 2^12 + V: x1 W + floor(x0 W / 2^52) + floor(x1 V / 2^12), less than 3 below
  /// x (W 2^12 + V) / 2^64, so that a product is below 4q, as Lanes64 says.
  CYCLOTOME_INLINE static Vector quotient_of(Vector x, const Factor& w) {
    const Vector above = Avx512::shift_right64<52>(x);
    const Vector top = Avx512::shift_left64<52>(_mm512_madd52hi_epu64(Avx512::zero(), above, w.quotient));
    const Vector whole = _mm512_madd52lo_epu64(top, above, w.quotient);
    return _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(whole, x, w.quotient), above, w.rest);
  }
};

/// The same for moduli below 2^most_bits that are 1 modulo 2^12, as those of rings from n = 2048 on are: y q is y and
/// 2^12 times a product of 52 bits. Below 2^57 transforms leave all their sums standing.
template <unsigned most_bits>
struct Lanes64Sparse : Lanes64Ifma {
  using Roomier = Lanes64Sparse<57>;
  static bool has_roomier(Word modulus) noexcept { return modulus < Word{1} << 57; }

  struct Prime : Lanes64Ifma::Prime {
    Vector negative;  // 2^52 - (q - 1) / 2^12
    CYCLOTOME_INLINE explicit Prime(Word modulus)
        : Lanes64Ifma::Prime(modulus), negative(broadcast((Word{1} << 52) - (modulus >> 12))) {}
  };

  CYCLOTOME_INLINE static Vector finish(const Product& product, const Prime& p) {
    return less(product.low, product.quotient, p);
  }
  /// x - y q modulo 2^64.
  CYCLOTOME_INLINE static Vector less(Vector x, Vector y, const Prime& p) {
    return add(subtract(x, y), Avx512::shift_left64<12>(_mm512_madd52lo_epu64(Avx512::zero(), y, p.negative)));
  }
};

/// Of moduli from 2^50 on.
template <>
struct Lanes64Sparse<57> : Lanes64Sparse<61> {
  /// Exclusive upper bound of values in transforms, in units of q.
  static constexpr unsigned room = 128;
  static bool has_roomier(Word) noexcept { return false; }

  struct Prime : Lanes64Sparse<61>::Prime {
    Vector half_room, reciprocal;  // room / 2 * q; floor(2^64 / q)
    CYCLOTOME_INLINE explicit Prime(Word modulus)
        : Lanes64Sparse<61>::Prime(modulus),
          half_room(broadcast(room / 2 * modulus)),
          reciprocal(broadcast(~Word{0} / modulus)) {}
  };

  /// Below room q -> below 2 q: the high 52 bits' quotient is less than x / 2^64 + 2^12 / q below x / q.
  CYCLOTOME_INLINE static Vector below_limit(Vector x, const Prime& p) {
    return less(x, _mm512_madd52hi_epu64(Avx512::zero(), Avx512::shift_right64<12>(x), p.reciprocal), p);
  }
  /// -> [0, q).
  CYCLOTOME_INLINE static Vector canonical(Vector x, const Prime& p) {
    return conditional_subtract(below_limit(x, p), p.q);
  }
};

}  // namespace
}  // namespace cyclotome::cpu
