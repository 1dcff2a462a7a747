// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp.

#include "cyclotome/engine/cpu/vector/lanes.hpp"
#include "cyclotome/engine/cpu/vector/registers_avx2.hpp"

namespace cyclotome::cpu {
namespace {

/// Exclusive upper bound of a modulus for transforms on doubles, whose integers are exact up to 2^53.
inline constexpr std::uint64_t max_double_modulus = std::uint64_t{1} << 50;

/// Lanes of 64 bits that hold residues as doubles, for transforms modulo q < 2^50: where there is no 64-bit multiplier
/// a product takes six operations in place of two dozen (the CUDA engine's arithmetic, doc/cpu-notes.md). Words become
/// doubles as a transform begins (`entered`) and words again as it ends (`left`); in between values are integers of
/// either sign, as good as any for reductions that are exact:
///  - a product x w for 0 <= w < q and |x| < 2 q: h = x w rounded, l = x w - h, c the integer next to h (1/q), and
///    (h - c q) + l. h and 1/q are off by 2^-53 of themselves, so c by at most 1/2 + 2^-52 |x|, and the result is
///    within (1/2 + |x| / 4 q) q; both sums are exact.
///  - `limit`, which other lanes subtract to stay in range, brings x to about [-q/2, q/2] here.
/// With x' = limit(x) + y w a forward stage leaves values within (1 + B/4) q if they were within B q: so within 4/3 q.
/// An inverse one leaves sums within about q/2 and products of differences within (1/2 + 2 B/4) q: so within q.
struct LanesDouble : WordLanes<Avx2, std::uint64_t> {
  using Base = WordLanes<Avx2, std::uint64_t>;
  using Base::broadcast;
  using typename Base::Vector;
  using typename Base::Word;

  struct Limit {
    __m256d q, reciprocal;
  };
  struct Prime {
    Limit limit;
    CYCLOTOME_INLINE explicit Prime(Word modulus)
        : limit{value(entered(broadcast(modulus))),
                _mm256_div_pd(_mm256_set1_pd(1), value(entered(broadcast(modulus))))} {}
  };
  struct Factor {
    __m256d operand;
  };
  struct Product {
    __m256d high, low;
  };

  CYCLOTOME_INLINE static Vector add(Vector a, Vector b) { return word(_mm256_add_pd(value(a), value(b))); }
  CYCLOTOME_INLINE static Vector subtract(Vector a, Vector b) { return word(_mm256_sub_pd(value(a), value(b))); }
  /// Differences may be negative here.
  CYCLOTOME_INLINE static Vector add(Vector a, const Limit&) { return a; }
  CYCLOTOME_INLINE static Vector conditional_subtract(Vector x, const Limit& limit) {
    return word(_mm256_fnmadd_pd(quotient(value(x), limit), limit.q, value(x)));
  }

  /// One factor for all lanes; a Shoup quotient is not needed, here and below.
  CYCLOTOME_INLINE static Factor repeated(Word operand) { return {value(entered(broadcast(operand)))}; }
  CYCLOTOME_INLINE static Factor factor(Vector operand, Vector) { return {value(entered(operand))}; }

  CYCLOTOME_INLINE static Product begin(Vector x, const Factor& w) {
    const __m256d high = _mm256_mul_pd(value(x), w.operand);
    return {high, _mm256_fmsub_pd(value(x), w.operand, high)};
  }
  CYCLOTOME_INLINE static Vector finish(const Product& product, const Prime& p) {
    const __m256d rest = _mm256_fnmadd_pd(quotient(product.high, p.limit), p.limit.q, product.high);
    return word(_mm256_add_pd(rest, product.low));
  }

  /// Words below 2^52 as doubles.
  CYCLOTOME_INLINE static Vector entered(Vector x) {
    return word(_mm256_sub_pd(value(_mm256_or_si256(x, word(two_52()))), two_52()));
  }
  /// A value within 2 q -> its residue in [0, q), a word.
  CYCLOTOME_INLINE static Vector left(Vector x, const Prime& p) {
    const __m256d centred = value(conditional_subtract(x, p.limit));
    const __m256d residue = _mm256_add_pd(centred, _mm256_and_pd(p.limit.q, below_zero(centred)));
    return _mm256_xor_si256(word(_mm256_add_pd(residue, two_52())), word(two_52()));
  }

 private:
  CYCLOTOME_INLINE static __m256d value(Vector x) { return _mm256_castsi256_pd(x); }
  CYCLOTOME_INLINE static Vector word(__m256d x) { return _mm256_castpd_si256(x); }
  CYCLOTOME_INLINE static __m256d two_52() { return _mm256_set1_pd(0x1p52); }
  /// The integer next to x / q, below 2^51: what a sum with 3/2 2^52 keeps of it.
  CYCLOTOME_INLINE static __m256d quotient(__m256d x, const Limit& limit) {
    const __m256d shift = _mm256_set1_pd(0x1.8p52);
    return _mm256_sub_pd(_mm256_fmadd_pd(x, limit.reciprocal, shift), shift);
  }
  CYCLOTOME_INLINE static __m256d below_zero(__m256d x) { return _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_LT_OQ); }
};

/// Arithmetic as these lanes need it, whatever the caller's is: rounded to nearest, and without traps.
class UsualArithmetic {
 public:
  UsualArithmetic() noexcept : callers_(_mm_getcsr()) {
    if ((callers_ & ~flags) != usual) _mm_setcsr(usual);
  }
  ~UsualArithmetic() {
    if ((callers_ & ~flags) != usual) _mm_setcsr(callers_);
  }
  UsualArithmetic(const UsualArithmetic&) = delete;
  UsualArithmetic& operator=(const UsualArithmetic&) = delete;

 private:
  static constexpr unsigned flags = 0x3f, usual = 0x1f80;
  unsigned callers_;
};

/// What ends a transform.
template <>
CYCLOTOME_INLINE LanesDouble::Vector reduced<LanesDouble>(LanesDouble::Vector x, const LanesDouble::Prime& p) {
  return LanesDouble::left(x, p);
}

}  // namespace
}  // namespace cyclotome::cpu
