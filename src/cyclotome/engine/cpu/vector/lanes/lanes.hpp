// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/vector/lanes/lanes64_near.hpp"
#include "cyclotome/engine/cpu/vector/lanes/words.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/math/shoup.hpp"

namespace cyclotome::cpu {
namespace {

/// Modular arithmetic on lanes that hold one residue each. A lane class has
///  - `bound`: `multiply` returns values below bound * q, and transforms keep values below 2 * bound * q;
///  - `Prime`: what a modulus needs; `Factor`: a fixed factor with its Shoup quotient;
///  - `Sum`: a sum of `sum_terms` products at most, `settle`d after every four of them; `Reducer`: what its reduction
///  needs;
///  - what WordLanes gives it.

/// Registers `R` as lanes of 64 bits: any modulus below 2^61. Products come from 32-bit halves.
template <class R>
struct Lanes64 : WordLanes<R, std::uint64_t> {
  using Base = WordLanes<R, std::uint64_t>;
  using Base::add;
  using Base::broadcast;
  using Base::conditional_subtract;
  using Base::product_low;
  using Base::subtract;
  using typename Base::Vector;
  using typename Base::Word;
  static constexpr unsigned bound = 4;
  static constexpr std::size_t sum_terms = 32;
  /// Lanes that transforms take where they can.
  using Roomier = Lanes64Near<R>;
  static bool has_roomier(Word modulus) noexcept { return NearPower::includes(modulus); }

  struct Prime {
    Vector q, limit;  // limit = bound * q < 2^63
    CYCLOTOME_INLINE explicit Prime(Word modulus) : q(broadcast(modulus)), limit(broadcast(bound * modulus)) {}
  };
  struct Factor {
    Vector operand, quotient, quotient_high;  // quotient = floor(operand 2^64 / q)
  };
  struct Product {
    Vector low, quotient;
  };
  struct Sum {
    Vector low, middle, high;  // low + 2^32 middle + 2^64 high
  };
  struct Operand {
    Vector value, high;
  };

  CYCLOTOME_INLINE static Factor factor(Vector operand, Vector quotient) {
    return {operand, quotient, R::template shift_right64<32>(quotient)};
  }
  /// One factor for all lanes.
  CYCLOTOME_INLINE static Factor repeated(const ShoupFactor<Word>& w) {
    return factor(broadcast(w.operand), broadcast(w.quotient));
  }

  CYCLOTOME_INLINE static Product begin(Vector x, const Factor& w) {
    return {product_low(x, w.operand), quotient_of(x, w)};
  }
  /// x: any word -> x w mod q in [0, 4q). Shoup's product is below 2q; the quotient taken here is at most 2 too small,
  /// since it leaves out the product of the low halves (less than one unit) and two carries' fractions.
  CYCLOTOME_INLINE static Vector finish(const Product& product, const Prime& p) {
    return subtract(product.low, product_low(product.quotient, p.q));
  }

  CYCLOTOME_INLINE static Operand operand(Vector b) { return {b, R::template shift_right64<32>(b)}; }
  CYCLOTOME_INLINE static Sum nothing() { return {R::zero(), R::zero(), R::zero()}; }
  CYCLOTOME_INLINE static Sum sum_of(Vector x) { return {low_half(x), R::template shift_right64<32>(x), R::zero()}; }
  /// a, b < 2^61: `middle` grows by less than 2^62 - 2^32, so that four terms fit after `settle` has left it below
  /// 2^32.
  CYCLOTOME_INLINE static void accumulate(Sum& sum, Vector a, const Operand& b) {
    const Vector a_high = R::template shift_right64<32>(a);
    const Vector low = R::multiply32(a, b.value);
    const Vector cross = add(R::multiply32(a_high, b.value), R::multiply32(a, b.high));
    sum.low = add(sum.low, low_half(low));
    sum.middle = add(sum.middle, add(cross, R::template shift_right64<32>(low)));
    sum.high = add(sum.high, R::multiply32(a_high, b.high));
  }
  CYCLOTOME_INLINE static void settle(Sum& sum) {
    sum.high = add(sum.high, R::template shift_right64<32>(sum.middle));
    sum.middle = low_half(sum.middle);
  }

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
  /// A settled sum of at most `sum_terms` products (below 2^127) -> [0, q).
  CYCLOTOME_INLINE static Vector reduce(const Sum& sum, const Reducer& r) {
    const Vector carried = add(sum.middle, R::template shift_right64<32>(sum.low));
    const Vector high = add(sum.high, R::template shift_right64<32>(carried));
    const Vector low = add(R::template shift_left64<32>(carried), low_half(sum.low));
    const Vector rest = subtract(low, product_low(quotient_of(low, r.unit), r.p.q));
    const Vector x = conditional_subtract(add(finish(begin(high, r.wide), r.p), rest), r.p.limit);
    return conditional_subtract(conditional_subtract(x, r.twice), r.p.q);
  }

 private:
  CYCLOTOME_INLINE static Vector low_half(Vector x) { return R::both(x, broadcast(0xffffffff)); }
  CYCLOTOME_INLINE static Vector quotient_of(Vector x, const Factor& w) {
    const Vector x_high = R::template shift_right64<32>(x);
    const Vector cross = add(R::template shift_right64<32>(R::multiply32(x_high, w.quotient)),
                             R::template shift_right64<32>(R::multiply32(x, w.quotient_high)));
    return add(R::multiply32(x_high, w.quotient_high), cross);
  }
};

/// Lanes of 32 bits multiplied to 64, in two registers: here products of even lanes and products of odd ones. Registers
/// that multiply neighbours have a specialisation.
template <class R>
struct WideProducts {
  using Vector = typename R::Vector;
  struct Wide {
    Vector first, second;
  };
  /// What is multiplied by more than once.
  struct Operand {
    Vector even, odd;
  };

  CYCLOTOME_INLINE static Operand operand(Vector x) { return {x, R::template shift_right64<32>(x)}; }
  /// The same in all lanes.
  CYCLOTOME_INLINE static Operand repeated(Vector x) { return {x, x}; }
  /// x as 64-bit lanes, of which products take the low halves.
  CYCLOTOME_INLINE static Vector half(Vector x, bool second) { return second ? R::template shift_right64<32>(x) : x; }
  CYCLOTOME_INLINE static Wide widened(Vector x) {
    return {R::both(x, R::broadcast64(0xffffffff)), R::template shift_right64<32>(x)};
  }
  CYCLOTOME_INLINE static Wide multiply(Vector a, const Operand& b) {
    return {R::multiply32(a, b.even), R::multiply32(R::template shift_right64<32>(a), b.odd)};
  }
  CYCLOTOME_INLINE static Wide add_product(const Wide& sum, Vector a, const Operand& b) {
    const Wide product = multiply(a, b);
    return {R::add64(sum.first, product.first), R::add64(sum.second, product.second)};
  }
  CYCLOTOME_INLINE static Vector high(const Wide& x) { return R::high_halves(x.first, x.second); }
  CYCLOTOME_INLINE static Vector low(const Wide& x) { return R::low_halves(x.first, x.second); }
};

/// Registers `R` as lanes of 32 bits: any modulus below 2^31 (2^30 in transforms).
template <class R>
struct Lanes32 : WordLanes<R, std::uint32_t> {
  using Base = WordLanes<R, std::uint32_t>;
  using Base::add;
  using Base::broadcast;
  using Base::conditional_subtract;
  using Base::product_low;
  using Base::subtract;
  using typename Base::Vector;
  using typename Base::Word;
  using Products = WideProducts<R>;
  using Sum = typename Products::Wide;
  using Operand = typename Products::Operand;
  static constexpr unsigned bound = 2;
  static constexpr std::size_t sum_terms = 1024;  // the caller knows better: it depends on the moduli

  struct Prime {
    Vector q, limit;  // limit = bound * q
    CYCLOTOME_INLINE explicit Prime(Word modulus) : q(broadcast(modulus)), limit(broadcast(bound * modulus)) {}
  };
  struct Factor {
    Vector operand;
    Operand quotient;  // floor(operand 2^32 / q)
  };
  struct Product {
    Vector low, quotient;
  };

  CYCLOTOME_INLINE static Factor factor(Vector operand, Vector quotient) {
    return {operand, Products::operand(quotient)};
  }
  /// One factor for all lanes.
  CYCLOTOME_INLINE static Factor repeated(const ShoupFactor<Word>& w) {
    return {broadcast(w.operand), Products::repeated(broadcast(w.quotient))};
  }

  CYCLOTOME_INLINE static Product begin(Vector x, const Factor& w) {
    return {product_low(x, w.operand), quotient_of(x, w)};
  }
  /// x: any word -> x w mod q in [0, 2q): Shoup's product.
  CYCLOTOME_INLINE static Vector finish(const Product& product, const Prime& p) {
    return Base::subtract_product(product.low, product.quotient, p.q);
  }

  CYCLOTOME_INLINE static Operand operand(Vector b) { return Products::operand(b); }
  CYCLOTOME_INLINE static Sum nothing() { return {R::zero(), R::zero()}; }
  CYCLOTOME_INLINE static Sum sum_of(Vector x) { return Products::widened(x); }
  CYCLOTOME_INLINE static void accumulate(Sum& sum, Vector a, const Operand& b) {
    sum = Products::add_product(sum, a, b);
  }
  CYCLOTOME_INLINE static void settle(Sum&) {}

  struct Reducer {
    Prime p;
    Factor wide, unit;  // 2^32 mod q; 1
    CYCLOTOME_INLINE explicit Reducer(const Modulus<Word>& q)
        : p(q.value()),
          wide(factor(broadcast(Word{0} - high_ratio(q) * q.value()), broadcast(static_cast<Word>(q.ratio_low())))),
          unit(factor(broadcast(1), broadcast(high_ratio(q)))) {}

   private:
    static constexpr Word high_ratio(const Modulus<Word>& q) { return static_cast<Word>(q.ratio_low() >> 32); }
  };
  /// Any sum below 2^64 -> [0, q).
  CYCLOTOME_INLINE static Vector reduce(const Sum& sum, const Reducer& r) {
    const Vector high = Products::high(sum), low = Products::low(sum);
    const Vector rest = Base::subtract_product(low, quotient_of(low, r.unit), r.p.q);
    const Vector x = conditional_subtract(finish(begin(high, r.wide), r.p), r.p.q);
    return conditional_subtract(add(x, conditional_subtract(rest, r.p.q)), r.p.q);
  }

 private:
  CYCLOTOME_INLINE static Vector quotient_of(Vector x, const Factor& w) {
    return Products::high(Products::multiply(x, w.quotient));
  }
};

/// Kernels' move_centred on registers. near: from < 2 q, so that the lift is in [-q, q).
template <class L, bool near>
class CentredMove {
 public:
  using Word = typename L::Word;
  using Vector = typename L::Vector;

  CYCLOTOME_INLINE CentredMove(Word from, Word q)
      : source_(L::broadcast(from)),
        target_(L::broadcast(q)),
        there_(L::broadcast(from / 2)),
        back_(L::broadcast(q - from / 2 % q)) {}
  CYCLOTOME_INLINE Vector operator()(Vector a) const {
    Vector x = L::conditional_subtract(L::add(a, there_), source_);  // the lift plus half
    if constexpr (!near) x = L::conditional_subtract(L::conditional_subtract(x, L::add(target_, target_)), target_);
    return L::conditional_subtract(L::add(x, back_), target_);
  }

 private:
  Vector source_, target_, there_, back_;
};

/// Words as a transform's lanes have them; doubles are another form of them.
template <class L>
CYCLOTOME_INLINE typename L::Vector entered(typename L::Vector x) {
  if constexpr (requires { L::entered(x); }) {
    return L::entered(x);
  } else {
    return x;
  }
}

template <class L>
CYCLOTOME_INLINE typename L::Vector multiply(typename L::Vector x, const typename L::Factor& w,
                                             const typename L::Prime& p) {
  return L::finish(L::begin(x, w), p);
}

/// Lanes of `multiply` alone: x w mod q brought from [0, bound q) to [0, q), and to words.
template <class L>
CYCLOTOME_INLINE typename L::Vector reduced(typename L::Vector x, const typename L::Prime& p) {
  if constexpr (requires { L::left(x, p); }) {
    return L::left(x, p);
  } else {
    static_assert(L::bound == 2 || L::bound == 4);
    if constexpr (L::bound == 4) x = L::conditional_subtract(x, L::add(p.q, p.q));
    return L::conditional_subtract(x, p.q);
  }
}

}  // namespace
}  // namespace cyclotome::cpu
