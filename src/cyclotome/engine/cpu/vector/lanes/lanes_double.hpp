// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp.

#include "cyclotome/engine/cpu/vector/lanes/double_ranges.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"

namespace cyclotome::cpu {
namespace {

/// Exclusive upper bound of a modulus for transforms on doubles, whose integers are exact up to 2^53.
inline constexpr std::uint64_t max_double_modulus = std::uint64_t{1} << 50;

/// Lanes of 64 bits that hold residues as doubles, for transforms modulo q < 2^50: where there is no 64-bit multiplier
/// a product takes six operations in place of two dozen (the CUDA engine's arithmetic, doc/cpu-notes.md). Words become
/// doubles as a transform begins (`entered`) and words again as it ends (`left`); in between values are integers of
/// either sign, as good as any for reductions that are exact:
///  - a product x w for 0 <= w < q and |x| <= B q <= 2^53: h = x w rounded, e = h - x w, c the integer next to h (1/q),
///    and (h - c q) - e. h, 1/q and, on some registers, their product are off by 2^-53 of themselves, so c by at most
///    1/2 + 3 2^-53 |x|, and the result is within (1/2 + 3/8 B) q for q < 2^50. |e| <= 2^-53 |x| w < q; h - c q is a
///    multiple of a power of two that divides h, and below 5 q: both sums are exact.
///  - `limit`, which other lanes subtract to stay in range, brings x to about [-q/2, q/2] here: |x| / q is below 2^6 or
///    x is a residue, so that its quotient is off by 2^-47 at most.
/// So a forward stage leaves x + y w within X + 1/2 + 3/8 B units of q if x was within X and y within B of them, an
/// inverse one products of differences within 1/2 + 3/8 2 B and sums of twice what there was. `DoubleRanges` follows
/// that stage by stage, for moduli below 2^most_bits (of which 3/8 is 3 2^(most_bits - 53)), and tells which x must be
/// reduced:
///  - quotients of x86's registers are rounded once, a quarter in place of 3/8, and must be at most 2^51, which bounds
///  B
///    by 2^(51 - most_bits); NEON's bound is that of all sums, 2^53;
///  - a factor in [-q/2, q/2] has half the quotients: half the errors, and twice the bound;
///  - below 2^47 a forward stage adds less than 1 to values within 16, so that no stage reduces; above one of the three
///    stages of a pass does, and one (below 2^49) or three of the four of a leaf of AVX2.
template <class R, unsigned most_bits = 50>
struct LanesDouble : WordLanes<R, std::uint64_t> {
  using Base = WordLanes<R, std::uint64_t>;
  using Base::broadcast;
  using D = typename R::Doubles;
  using Double = typename D::Vector;
  using typename Base::Vector;
  using typename Base::Word;

  using Ranges = DoubleRanges<D::roundings, D::quotient_bits, most_bits>;
  /// Lanes for shorter moduli, and whether this one is.
  using Roomier = LanesDouble<R, most_bits == 50 ? 49 : 47>;
  static bool has_roomier(Word modulus) noexcept {
    return most_bits != 47 && modulus < Word{1} << (most_bits == 50 ? 49 : 47);
  }

  struct Limit {
    Double q, reciprocal;
  };
  struct Prime {
    Limit limit;
    Double half;  // (q - 1) / 2
    CYCLOTOME_INLINE explicit Prime(Word modulus)
        : limit{value(entered(broadcast(modulus))), D::divide(D::broadcast(1), value(entered(broadcast(modulus))))},
          half(D::multiply(D::subtract(limit.q, D::broadcast(1)), D::broadcast(0.5))) {}
  };
  struct Factor {
    Double operand;
  };
  struct Product {
    Double high, excess;  // high - excess
  };

  CYCLOTOME_INLINE static Vector add(Vector a, Vector b) { return word(D::add(value(a), value(b))); }
  CYCLOTOME_INLINE static Vector subtract(Vector a, Vector b) { return word(D::subtract(value(a), value(b))); }
  /// Differences may be negative here.
  CYCLOTOME_INLINE static Vector add(Vector a, const Limit&) { return a; }
  CYCLOTOME_INLINE static Vector conditional_subtract(Vector x, const Limit& limit) {
    return word(D::subtract_product(value(x), quotient(value(x), limit), limit.q));
  }

  /// An integer that is a double already, for all lanes.
  CYCLOTOME_INLINE static Factor repeated(double operand) { return {D::broadcast(operand)}; }
  /// One factor for all lanes; a Shoup quotient is not needed, here and below.
  CYCLOTOME_INLINE static Factor repeated(Word operand) { return {value(entered(broadcast(operand)))}; }
  CYCLOTOME_INLINE static Factor factor(Vector operand, Vector) { return {value(entered(operand))}; }

  /// The factor in [-q/2, q/2].
  CYCLOTOME_INLINE static Factor centred(const Factor& w, const Prime& p) {
    return {D::subtract(w.operand, D::where_negative(D::subtract(p.half, w.operand), p.limit.q))};
  }

  CYCLOTOME_INLINE static Product begin(Vector x, const Factor& w) {
    const Double high = D::multiply(value(x), w.operand);
    return {high, D::subtract_product(high, value(x), w.operand)};
  }
  CYCLOTOME_INLINE static Vector finish(const Product& product, const Prime& p) {
    const Double rest = D::subtract_product(product.high, quotient(product.high, p.limit), p.limit.q);
    return word(D::subtract(rest, product.excess));
  }

  /// x w + b for x, w and b in [0, q), in (-q, q): the quotient is that of the sum, which is rounded once more, so c is
  /// off by at most 1/2 + 1/2 (q - 1) / 2^50.
  CYCLOTOME_INLINE static Vector multiply_add(Vector x, const Factor& w, Vector b, const Prime& p) {
    const Product product = begin(x, w);
    const Double sum = D::add(product.high, value(b));
    const Double rest = D::subtract_product(product.high, quotient(sum, p.limit), p.limit.q);
    return word(D::add(D::subtract(rest, product.excess), value(b)));
  }

  /// A sum of products x w, x < 2^b, 0 <= w < q < 2^c, of integers: `offset` = 3/2 2^E, E = b + c + 1 + t, keeps
  /// `high` between 2^E and 2^(E+1), so all that it gains is multiples of 2^(E-52), and what a product lacks of one, at
  /// most half of that, is exact and goes to `excess`. 2^t terms are at most 2^(E-1), and their excess at most
  /// 2^(E+t-53).
  struct Sum {
    Double high, excess;  // high - offset - excess
  };
  struct Scale {
    Double offset;
    std::size_t terms;  // 2^t
    /// t: so that high / q is below 2^52, and excess too.
    CYCLOTOME_INLINE Scale(unsigned x_bits, unsigned w_bits) {
      const unsigned t = std::min({10U, 52 - x_bits, (104 - x_bits - w_bits) / 2});
      terms = std::size_t{1} << t;
      const std::uint64_t exponent = 1023 + x_bits + w_bits + 1 + t;
      offset = value(broadcast(exponent << 52 | std::uint64_t{1} << 51));
    }
  };
  CYCLOTOME_INLINE static Sum nothing(const Scale& scale) { return {scale.offset, D::broadcast(0)}; }
  CYCLOTOME_INLINE static void accumulate(Sum& sum, Vector x, const Factor& w) {
    const Double high = D::add_product(sum.high, value(x), w.operand);
    const Double gain = D::subtract(high, sum.high);
    sum.excess = D::add(sum.excess, D::subtract_product(gain, value(x), w.operand));
    sum.high = high;
  }
  /// -> below 2 q + 2^52, since even quotients are next to high / q by 2.
  CYCLOTOME_INLINE static Vector reduce(const Sum& sum, const Scale& scale, const Limit& limit) {
    const Double high = D::subtract(sum.high, scale.offset);
    const Double rest = D::subtract_product(high, D::template rounded_product<1>(high, limit.reciprocal), limit.q);
    return word(D::subtract(rest, sum.excess));
  }

  /// Words below 2^52 as doubles.
  CYCLOTOME_INLINE static Vector entered(Vector x) {
    return word(D::subtract(value(R::either(x, word(two_52()))), two_52()));
  }
  /// Words below `from` as doubles, lifted to [-from/2, from/2): move_centred, of which a transform takes the lift
  /// itself, within q since from < 2 q.
  class CentredMove {
   public:
    CYCLOTOME_INLINE explicit CentredMove(Word from)
        : from_(value(entered(broadcast(from)))),
          half_(D::multiply(D::subtract(from_, D::broadcast(1)), D::broadcast(0.5))) {}
    CYCLOTOME_INLINE Vector operator()(Vector a) const {
      const Double x = value(entered(a));
      return word(D::subtract(x, D::where_negative(D::subtract(half_, x), from_)));
    }

   private:
    Double from_, half_;  // half_: (from - 1) / 2
  };

  /// A value below 2^53 -> its residue in [0, q), a word.
  CYCLOTOME_INLINE static Vector left(Vector x, const Prime& p) {
    return left_near(conditional_subtract(x, p.limit), p);
  }
  /// The same for a value within Ranges::forward_end. x' = x - (q - 1) / 2 has a quotient at least 1 / (2 q) away from
  /// where rounding changes, and the computed one is off by less since |x'| < 2^52: so it is floor(x / q).
  CYCLOTOME_INLINE static Vector left_whole(Vector x, const Prime& p) {
    const Double whole = quotient(D::subtract(value(x), p.half), p.limit);
    const Double residue = D::subtract_product(value(x), whole, p.limit.q);
    return R::exclusive_or(word(D::add(residue, two_52())), word(two_52()));
  }
  /// The same for a value in (-q, q).
  CYCLOTOME_INLINE static Vector left_near(Vector x, const Prime& p) {
    const Double residue = D::add_where_negative(value(x), p.limit.q);
    return R::exclusive_or(word(D::add(residue, two_52())), word(two_52()));
  }

 private:
  CYCLOTOME_INLINE static Double value(Vector x) { return D::of(x); }
  CYCLOTOME_INLINE static Vector word(Double x) { return D::words(x); }
  CYCLOTOME_INLINE static Double two_52() { return D::broadcast(0x1p52); }
  CYCLOTOME_INLINE static Double quotient(Double x, const Limit& limit) {
    return D::rounded_product(x, limit.reciprocal);
  }
};

}  // namespace
}  // namespace cyclotome::cpu
