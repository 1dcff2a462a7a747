// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/ring/conversion/base_conversion.hpp"

// The arithmetic of one coefficient in a base conversion: out_j = sum of y_i M_ij - v q g_j modulo b_j. It runs on the
// host too, where tests compare it with the CPU engine.
//
// 32-bit words: the y_i, the matrix and v are signed, of small magnitude, so that sums of dozens of products fit 64
// bits, each product is one instruction, and y_i needs no correction: |y_i| <= (1/2 + 2^-33 q_i) q_i. 64-bit words: all
// are reduced and the sums have 128 bits. Either way the matrix is multiplied by R = 2^32 (2^64), and sums are divided
// by R again (Montgomery); only conversions to an even modulus, or to one above a quarter of R, do without.
namespace cyclotome::cuda {

#define CYCLOTOME_INLINE __host__ __device__ __forceinline__

template <class W>
struct TermOf {
  using type = std::int32_t;
  using sum = std::int64_t;
};
template <>
struct TermOf<std::uint64_t> {
  using type = std::uint64_t;
  using sum = u128;
};
/// A representative of a residue, and sums of products of two.
template <class W>
using Term = typename TermOf<W>::type;
template <class W>
using Sum = typename TermOf<W>::sum;

inline constexpr std::uint32_t tile_targets = 4;

/// 2^56 / q for a term y, of which 64-bit words use the upper 28 bits.
template <class W>
struct FractionFactor {
  std::int32_t factor;
};
template <>
struct FractionFactor<std::uint64_t> {
  std::int32_t factor;
  std::uint32_t shift;
};

/// What scales a source limb, in one or two loads.
template <class W>
struct alignas(16) SourceConstants {
  W factor, quotient;  ///< f_i (q/q_i)^-1, and that times R / q_i: rounded for 32-bit words, else as in ShoupFactor
  W modulus;           ///< q_i
  FractionFactor<W> fraction;
};

/// The same for counting wraps exactly as the CPU does.
template <class W>
struct alignas(16) ExactFraction {
  std::uint64_t reciprocal;
  W modulus;
  std::uint32_t bits;
};

template <class W>
struct alignas(16) TargetConstants {
  W modulus;        ///< b_j
  W inverse;        ///< 64-bit words: b_j^-1 modulo R; 32-bit words: -b_j^-1
  Term<W> wraps;    ///< -q g_j, times R if sums are divided by it
  Term<W> of_word;  ///< R mod b_j
};

/// Entries of the matrix for neighbouring targets.
template <class W>
struct alignas(16) TermTile {
  Term<W> word[tile_targets];
};

/// a b + c.
template <class W>
CYCLOTOME_INLINE Sum<W> multiply_add(Term<W> a, Term<W> b, Sum<W> c) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(W) == 4) {
    // Said outright: where the compiler extends a factor's sign ahead of time, it multiplies 64-bit words.
    Sum<W> product;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product + c;
  }
#endif
  return static_cast<Sum<W>>(a) * b + c;
}

/// f x modulo q. x: [0, q). 32-bit words: in (-3q/4, 3q/4); 64-bit words: in [0, q).
template <class W>
CYCLOTOME_INLINE Term<W> scaled(W x, const SourceConstants<W>& s) {
  if constexpr (sizeof(W) == 4) {
    const auto multiple = static_cast<W>((static_cast<Wide<W>>(x) * s.quotient + 0x80000000u) >> 32);
    return static_cast<Term<W>>(x * s.factor - multiple * s.modulus);
  } else {
    const W lazy = s.factor * x - multiply_high(s.quotient, x) * s.modulus;
    return lazy < s.modulus ? lazy : lazy - s.modulus;
  }
}

/// A term in (-q, q) -> [0, q).
template <class W>
CYCLOTOME_INLINE W canonical(Term<W> y, W q) {
  const W word = static_cast<W>(y), other = word + q;
  return sizeof(W) == 8 || word < other ? word : other;
}

/// sum + y / q in units of 2^-56, nearly.
template <class W>
CYCLOTOME_INLINE std::int64_t add_fraction(std::int64_t sum, Term<W> y, FractionFactor<W> fraction) {
  if constexpr (sizeof(W) == 4) {
    return multiply_add<W>(y, fraction.factor, sum);
  } else {
    return multiply_add<std::uint32_t>(static_cast<std::int32_t>(y >> fraction.shift), fraction.factor, sum);
  }
}

/// x, which may be near the largest that a sum holds -> the same modulo b, at most a few b times that of_word.
template <class W>
CYCLOTOME_INLINE Sum<W> folded(Sum<W> x, const TargetConstants<W>& t) {
  const auto high = static_cast<Term<W>>(x >> word_bits<W>);
  return multiply_add<W>(high, t.of_word, static_cast<Sum<W>>(static_cast<W>(x)));
}

/// x / R modulo odd b < R/4, for x in [-3bR/2, 3bR/2) (32-bit words) or [0, 2bR) -> [0, b).
template <class W>
CYCLOTOME_INLINE W divided(Sum<W> x, const TargetConstants<W>& t) {
  const W b = t.modulus;
  W r;
  if constexpr (sizeof(W) == 4) {
    const auto multiple = static_cast<Term<W>>(static_cast<W>(x) * t.inverse);
    r = static_cast<W>(multiply_add<W>(multiple, static_cast<Term<W>>(b), x) >> 32);  // [-2b, 2b)
  } else {
    r = static_cast<W>(x >> 64) - multiply_high(static_cast<W>(static_cast<W>(x) * t.inverse), b);  // (-b, 2b)
  }
  const W up = r + 2 * b;
  r = r < up ? r : up;
  const W down = r - b;
  return r < down ? r : down;
}

/// x modulo any b, for x in [-bR, bR) (32-bit words) or [0, R^2) -> [0, b).
template <class W>
CYCLOTOME_INLINE W reduced(Sum<W> x, const Modulus<W>& b) {
  if constexpr (sizeof(W) == 4) {
    return b.reduce_wide(static_cast<Wide<W>>(x) + (static_cast<Wide<W>>(b.value()) << 32));
  } else {
    return b.reduce_wide(x);
  }
}

}  // namespace cyclotome::cuda
