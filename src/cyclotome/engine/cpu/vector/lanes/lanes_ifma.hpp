// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512_ifma.cpp.

#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/lanes/registers_avx512.hpp"

namespace cyclotome::cpu {
namespace {

/// Exclusive upper bound of a modulus for the 52-bit multipliers: transforms keep values in [0, 4q), which must be
/// below 2^52.
inline constexpr std::uint64_t max_ifma_modulus = std::uint64_t{1} << 50;

/// Lanes of 64 bits that hold 52-bit values, for moduli below 2^most_bits. A 52-bit Shoup quotient is the 64-bit one
/// shifted: floor(floor(w 2^64 / q) / 2^12) = floor(w 2^52 / q). So the tables of 64-bit words serve as they are.
///
/// Transforms do only what keeps values in 52 bits, and keep them modulo 2^52: the multipliers don't look at the bits
/// above, which sums and differences may fill. The shorter the modulus, the fewer reductions.
template <unsigned most_bits>
struct Lanes52 : Lanes64<Avx512> {
  static constexpr unsigned bound = 2;
  /// Exclusive upper bound of values in transforms, in units of q.
  static constexpr unsigned room = 1U << (52 - most_bits);
  /// Lanes for shorter moduli, and whether this one is.
  using Roomier = Lanes52<most_bits == 50 ? 49 : 46>;
  static bool has_roomier(Word modulus) noexcept {
    return most_bits != 46 && modulus < (most_bits == 50 ? Word{1} << 49 : Word{1} << 46);
  }
  /// The high parts (each below 2^48) of this many products and a carry stay below 2^52.
  static constexpr std::size_t sum_terms = 15;

  struct Prime {
    Vector q, limit, negative;     // limit = bound * q; negative = 2^52 - q
    Vector half_room, reciprocal;  // room / 2 * q; floor(2^52 / q)
    CYCLOTOME_INLINE explicit Prime(Word modulus)
        : q(broadcast(modulus)),
          limit(broadcast(bound * modulus)),
          negative(broadcast((Word{1} << 52) - modulus)),
          half_room(broadcast(room / 2 * modulus)),
          reciprocal(broadcast((Word{1} << 52) / modulus)) {}
  };
  struct Factor {
    Vector operand, quotient;  // quotient = floor(operand 2^52 / q)
  };
  struct Sum {
    Vector low, high;  // low + 2^52 high
  };
  struct Operand {
    Vector value;
  };

  /// quotient: the 64-bit one.
  CYCLOTOME_INLINE static Factor factor(Vector operand, Vector quotient) {
    return {operand, Avx512::shift_right64<12>(quotient)};
  }
  CYCLOTOME_INLINE static Factor repeated(const ShoupFactor<Word>& w) {
    return factor(broadcast(w.operand), broadcast(w.quotient));
  }

  CYCLOTOME_INLINE static Product begin(Vector x, const Factor& w) {
    return {_mm512_madd52lo_epu64(Avx512::zero(), x, w.operand), _mm512_madd52hi_epu64(Avx512::zero(), x, w.quotient)};
  }
  /// x < 2^52 -> x w mod q in [0, 2q): Shoup's product, computed modulo 2^52.
  CYCLOTOME_INLINE static Vector finish(const Product& product, const Prime& p) {
    return low52(_mm512_madd52lo_epu64(product.low, product.quotient, p.negative));
  }

  /// The same modulo 2^52, what stands above left there.
  CYCLOTOME_INLINE static Vector finish_unmasked(const Product& product, const Prime& p) {
    return add_product(product.low, product.quotient, p.negative);
  }

  /// How many products of a value below 2^x_bits and one below 2^q_bits can be summed beside a reduced sum and a
  /// product of less than 128 q: their high parts stay below 2^52.
  static constexpr std::size_t terms(unsigned x_bits, unsigned q_bits) {
    const unsigned spare = 104 - x_bits - q_bits;
    return (std::size_t{1} << (spare < 10 ? spare : 10)) - 1;
  }
  // For transforms, on values modulo 2^52.
  CYCLOTOME_INLINE static Vector quotient_of(Vector x, Vector reciprocal) {
    return _mm512_madd52hi_epu64(Avx512::zero(), x, reciprocal);
  }
  /// sum + x w.
  CYCLOTOME_INLINE static Vector add_product(Vector sum, Vector x, Vector w) {
    return _mm512_madd52lo_epu64(sum, x, w);
  }
  /// Below 2^52 -> below 2 q.
  CYCLOTOME_INLINE static Vector below_limit(Vector x, const Prime& p) {
    return add_product(x, quotient_of(x, p.reciprocal), p.negative);
  }
  /// -> [0, q).
  CYCLOTOME_INLINE static Vector canonical(Vector x, const Prime& p) {
    return conditional_subtract(low52(below_limit(x, p)), p.q);
  }

  CYCLOTOME_INLINE static Operand operand(Vector b) { return {b}; }
  CYCLOTOME_INLINE static Sum nothing() { return {Avx512::zero(), Avx512::zero()}; }
  CYCLOTOME_INLINE static Sum sum_of(Vector x) { return {x, Avx512::zero()}; }
  /// a, b < 2^50.
  CYCLOTOME_INLINE static void accumulate(Sum& sum, Vector a, const Operand& b) {
    sum.low = _mm512_madd52lo_epu64(sum.low, a, b.value);
    sum.high = _mm512_madd52hi_epu64(sum.high, a, b.value);
  }
  CYCLOTOME_INLINE static void settle(Sum&) {}

  /// A sum of floor(y r / 2^(b + 7)) for y < 2^b, b <= 52, r < 2^64: the fractions of a centred lift. With y' = 2^(52 -
  /// b) y and r = 2^12 s + t each is floor((y' s + floor(y' t / 2^12)) / 2^47).
  struct Fractions {
    Vector high, rest;  // of y' s: sum of high words; of what is below them

    CYCLOTOME_INLINE Fractions() : high(Avx512::zero()), rest(Avx512::zero()) {}
    CYCLOTOME_INLINE void add(Vector y, Word reciprocal, unsigned bits) {
      const Vector top = broadcast(reciprocal >> 12), up = _mm512_sllv_epi64(y, broadcast(52 - bits));
      const Vector below = _mm512_madd52hi_epu64(Avx512::zero(), up, broadcast((reciprocal << 40) & mask));
      high = _mm512_madd52hi_epu64(high, up, top);
      rest = Lanes64::add(rest, Avx512::shift_right64<47>(_mm512_madd52lo_epu64(below, up, top)));
    }
    CYCLOTOME_INLINE Vector sum() const { return Lanes64::add(Avx512::shift_left64<5>(high), rest); }
  };

  struct Reducer {
    Prime p;
    Factor wide, unit;  // 2^52 mod q; 1
    CYCLOTOME_INLINE explicit Reducer(const Modulus<Word>& q)
        : p(q.value()),
          wide{broadcast((Word{1} << 52) - (q.ratio_high() >> 12) * q.value()),
               broadcast((q.ratio_high() << 40 | q.ratio_low() >> 24) & mask)},
          unit{broadcast(1), broadcast(q.ratio_high() >> 12)} {}
  };
  /// A sum of at most `sum_terms` products -> [0, q). Of high 2^52 + low both parts are reduced by Shoup's product,
  /// into one quotient and one remainder in [0, 4q). Bits above the 52nd, which the multipliers don't look at, are left
  /// standing until the end.
  CYCLOTOME_INLINE static Vector reduce(const Sum& sum, const Reducer& r) {
    const Vector high = add(sum.high, Avx512::shift_right64<52>(sum.low));
    const Vector of_low = _mm512_madd52hi_epu64(Avx512::zero(), sum.low, r.unit.quotient);
    const Vector quotient = _mm512_madd52hi_epu64(of_low, high, r.wide.quotient);
    const Vector value = _mm512_madd52lo_epu64(sum.low, high, r.wide.operand);
    const Vector x = low52(_mm512_madd52lo_epu64(value, quotient, r.p.negative));
    return conditional_subtract(conditional_subtract(x, r.p.limit), r.p.q);
  }

 private:
  static constexpr Word mask = (Word{1} << 52) - 1;
  CYCLOTOME_INLINE static Vector low52(Vector x) { return Avx512::both(x, broadcast(mask)); }
};

using LanesIfma = Lanes52<50>;

}  // namespace
}  // namespace cyclotome::cpu
