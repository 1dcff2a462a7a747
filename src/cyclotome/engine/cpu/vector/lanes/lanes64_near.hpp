// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp.

#include <cstddef>
#include <cstring>

#include "cyclotome/engine/cpu/vector/lanes/near_ranges.hpp"
#include "cyclotome/engine/cpu/vector/lanes/words.hpp"
#include "cyclotome/math/near_power.hpp"

namespace cyclotome::cpu {
namespace {

/// Lanes of which factors are HalvedFactors, and tables of roots HalvedRoots.
template <class L>
concept TakesHalves = requires { L::takes_halves; };

/// Lanes of 64 bits for transforms modulo q = 2^b - d (NearPower), b <= most_bits: values of either sign in
/// two's complement, products of signed halves of 32 bits. With k = b - 32, both forms W of a factor as Wh 2^k + Wl
/// (HalvedFactor) and x = x1 2^32 + x0,
///   x w = A + 2^k B,  A = x0 Wl + x1 Wl',  B = x0 Wh + x1 Wh',
/// and of B = 2^32 C + D the part 2^k 2^32 C = 2^b C is d C modulo q: the result is A + 2^k D + d C. Six
/// multiplications and 13 operations, 14 with D in [-2^31, 2^31) in place of [0, 2^32), where Shoup's product of 32-bit
/// halves takes nine and 22. |B| <= (2^31 + |x1|) 2^31 fits the word if |x| < 2^63 - 2^31; NearRanges has the bounds of
/// the result, by which stages of transforms reduce: forward ones nowhere below 2^57.
template <class R, unsigned most_bits = 61>
struct Lanes64Near : WordLanes<R, std::uint64_t> {
  using Base = WordLanes<R, std::uint64_t>;
  using Base::add;
  using Base::broadcast;
  using Base::subtract;
  using typename Base::Vector;
  using typename Base::Word;

  using Ranges = NearRanges<most_bits>;
  /// Lanes for shorter moduli, and whether this one is.
  using Roomier = Lanes64Near<R, 57>;
  static bool has_roomier(Word modulus) noexcept { return most_bits != 57 && modulus < Word{1} << 57; }
  /// Tables of roots are HalvedRoots.
  static constexpr bool takes_halves = true;

  struct Limit {
    Vector multiple, mask, bits, below;  // 2^(63 - b) q; 2^b - 1; b; d
  };
  struct Prime {
    Limit limit;
    Vector q, step;  // step = 2^k
    CYCLOTOME_INLINE explicit Prime(Word modulus) : q(broadcast(modulus)) {
      const NearPower near(modulus);
      limit = {broadcast(modulus << (63 - near.bits)), broadcast((Word{1} << near.bits) - 1), broadcast(near.bits),
               broadcast(near.below)};
      step = broadcast(Word{1} << near.low_bits());
    }
  };
  struct Factor {
    Vector low, high, lifted_low, lifted_high;  // in the low halves of lanes
  };
  struct Product {
    Vector low, high;  // A, B
  };

  /// Of both words of a HalvedFactor.
  CYCLOTOME_INLINE static Factor factor(Vector factor, Vector lifted) {
    return {factor, R::template shift_right64<32>(factor), lifted, R::template shift_right64<32>(lifted)};
  }

  /// The same from tables of each, one factor for all lanes or one for each: halves are loaded from where they are, and
  /// of the last one what comes after it.
  CYCLOTOME_INLINE static Factor repeated_at(const Word* factor, const Word* lifted) {
    return {repeated_half(factor, 0), repeated_half(factor, 1), repeated_half(lifted, 0), repeated_half(lifted, 1)};
  }
  CYCLOTOME_INLINE static Factor factors_at(const Word* factor, const Word* lifted) {
    return {R::load(factor), R::load(halves_of(factor) + 1), R::load(lifted), R::load(halves_of(lifted) + 1)};
  }

  CYCLOTOME_INLINE static Product begin(Vector x, const Factor& w) {
    const Vector above = R::template shift_right64<32>(add(x, broadcast(half)));
    return {add(R::multiply_signed32(x, w.low), R::multiply_signed32(above, w.lifted_low)),
            add(R::multiply_signed32(x, w.high), R::multiply_signed32(above, w.lifted_high))};
  }
  CYCLOTOME_INLINE static Vector finish(const Product& product, const Prime& p) {
    const Vector middle =
        Ranges::rounds ? R::multiply_signed32(product.high, p.step) : R::multiply32(product.high, p.step);
    const Vector top =
        R::template shift_right64<32>(Ranges::rounds ? add(product.high, broadcast(half)) : product.high);
    return add(add(product.low, middle), R::multiply_signed32(top, p.limit.below));
  }

  /// Differences may be negative here.
  CYCLOTOME_INLINE static Vector add(Vector a, const Limit&) { return a; }
  /// Any value -> [0, 2^b + 2^(64 - b) d).
  CYCLOTOME_INLINE static Vector conditional_subtract(Vector x, const Limit& limit) {
    const Vector positive = add(x, limit.multiple);
    return add(R::both(positive, limit.mask), R::multiply32(R::shift_right64_each(positive, limit.bits), limit.below));
  }
  /// Any value -> [0, q).
  CYCLOTOME_INLINE static Vector left(Vector x, const Prime& p) {
    return Base::conditional_subtract(conditional_subtract(x, p.limit), p.q);
  }
  CYCLOTOME_INLINE static Vector left_whole(Vector x, const Prime& p) { return left(x, p); }

  /// Residues modulo `from` < 2 q lifted to [-from/2, from/2).
  class CentredMove {
   public:
    CYCLOTOME_INLINE explicit CentredMove(Word from) : from_(broadcast(from)), half_(broadcast((from + 1) / 2)) {}
    CYCLOTOME_INLINE Vector operator()(Vector a) const {
      return R::choose_by_sign64(subtract(a, half_), subtract(a, from_), a);
    }

   private:
    Vector from_, half_;
  };

 private:
  static constexpr Word half = Word{1} << 31;
  static constexpr std::size_t half_bytes = sizeof(Word) / 2;
  using Halves = const std::byte (*)[half_bytes];
  static Halves halves_of(const Word* x) noexcept { return reinterpret_cast<Halves>(x); }
  CYCLOTOME_INLINE static Vector repeated_half(const Word* x, std::size_t which) {
    std::uint32_t found;
    std::memcpy(&found, halves_of(x) + which, sizeof(found));
    return R::broadcast32(found);
  }
};

}  // namespace
}  // namespace cyclotome::cpu
