// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx2.cpp. Same vocabulary as
// registers_avx512.hpp.

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "cyclotome/engine/cpu/vector/macros.hpp"

namespace cyclotome::cpu {
namespace {

/// 32-byte registers of AVX2, as lanes of 32 or 64 bits. Lane 0 is the lowest in memory.
struct Avx2 {
  using Vector = __m256i;
  static constexpr std::size_t bytes = 32;
  static constexpr std::size_t registers = 16;

  CYCLOTOME_INLINE static Vector load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  CYCLOTOME_INLINE static void store(void* p, Vector v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  CYCLOTOME_INLINE static Vector zero() { return _mm256_setzero_si256(); }
  CYCLOTOME_INLINE static Vector both(Vector a, Vector b) { return _mm256_and_si256(a, b); }
  CYCLOTOME_INLINE static Vector either(Vector a, Vector b) { return _mm256_or_si256(a, b); }
  CYCLOTOME_INLINE static Vector exclusive_or(Vector a, Vector b) { return _mm256_xor_si256(a, b); }

  CYCLOTOME_INLINE static Vector broadcast64(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
  CYCLOTOME_INLINE static Vector add64(Vector a, Vector b) { return _mm256_add_epi64(a, b); }
  CYCLOTOME_INLINE static Vector subtract64(Vector a, Vector b) { return _mm256_sub_epi64(a, b); }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_left64(Vector a) {
    return _mm256_slli_epi64(a, count);
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_right64(Vector a) {
    return _mm256_srli_epi64(a, count);
  }
  CYCLOTOME_INLINE static Vector shift_right64_by(Vector a, unsigned count) {
    return _mm256_srl_epi64(a, _mm_cvtsi32_si128(static_cast<int>(count)));
  }
  /// Each lane by a count of its own.
  CYCLOTOME_INLINE static Vector shift_right64_each(Vector a, Vector counts) { return _mm256_srlv_epi64(a, counts); }
  CYCLOTOME_INLINE static Vector shift_left64_by(Vector a, unsigned count) {
    return _mm256_sllv_epi64(a, broadcast64(count));  // one operation on Intel's, where one count for all is two
  }
  CYCLOTOME_INLINE static Vector multiply32(Vector a, Vector b) { return _mm256_mul_epu32(a, b); }
  CYCLOTOME_INLINE static Vector multiply_signed32(Vector a, Vector b) { return _mm256_mul_epi32(a, b); }
  CYCLOTOME_INLINE static Vector product_low64(Vector a, Vector b) {
    const Vector cross = add64(multiply32(shift_right64<32>(a), b), multiply32(a, shift_right64<32>(b)));
    return add64(multiply32(a, b), shift_left64<32>(cross));
  }
  /// x in [0, 2m) -> [0, m), for m <= 2^63: the sign of x - m chooses.
  CYCLOTOME_INLINE static Vector conditional_subtract64(Vector x, Vector m) {
    const __m256d difference = _mm256_castsi256_pd(_mm256_sub_epi64(x, m));
    return _mm256_castpd_si256(_mm256_blendv_pd(difference, _mm256_castsi256_pd(x), difference));
  }
  CYCLOTOME_INLINE static Vector choose_by_sign64(Vector sign, Vector positive, Vector negative) {
    return _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(positive), _mm256_castsi256_pd(negative), _mm256_castsi256_pd(sign)));
  }
  CYCLOTOME_INLINE static Vector reaches64(Vector a, Vector b) {
    return _mm256_add_epi64(_mm256_set1_epi64x(1), _mm256_cmpgt_epi64(b, a));
  }

  CYCLOTOME_INLINE static Vector indices32() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
  template <int count>
  CYCLOTOME_INLINE static Vector rotate_left32(Vector a) {
    if constexpr (count == 16) {
      return _mm256_shuffle_epi8(
          a, _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)));
    } else if constexpr (count == 8) {
      return _mm256_shuffle_epi8(
          a, _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14)));
    } else {
      return _mm256_or_si256(_mm256_slli_epi32(a, count), _mm256_srli_epi32(a, 32 - count));
    }
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_right32(Vector a) {
    return _mm256_srli_epi32(a, count);
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_left32(Vector a) {
    return _mm256_slli_epi32(a, count);
  }
  CYCLOTOME_INLINE static Vector broadcast32(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  CYCLOTOME_INLINE static Vector add32(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  CYCLOTOME_INLINE static Vector subtract32(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
  CYCLOTOME_INLINE static Vector product_low32(Vector a, Vector b) { return _mm256_mullo_epi32(a, b); }
  CYCLOTOME_INLINE static Vector conditional_subtract32(Vector x, Vector m) {
    return _mm256_min_epu32(x, _mm256_sub_epi32(x, m));
  }
  CYCLOTOME_INLINE static Vector reaches32(Vector a, Vector b) {
    return _mm256_add_epi32(_mm256_set1_epi32(1), _mm256_cmpgt_epi32(b, a));
  }
  CYCLOTOME_INLINE static Vector high_halves(Vector even, Vector odd) {
    return _mm256_blend_epi32(_mm256_shuffle_epi32(even, 0xF5), odd, 0xAA);
  }
  CYCLOTOME_INLINE static Vector low_halves(Vector even, Vector odd) {
    return _mm256_blend_epi32(even, _mm256_shuffle_epi32(odd, 0xA0), 0xAA);
  }

  template <std::size_t gap>
  CYCLOTOME_INLINE static void exchange64(Vector& x, Vector& y) {
    const Vector a = x, b = y;
    if constexpr (gap == 2) {
      x = _mm256_permute2x128_si256(a, b, 0x20);
      y = _mm256_permute2x128_si256(a, b, 0x31);
    } else {
      static_assert(gap == 1);
      x = _mm256_unpacklo_epi64(a, b);
      y = _mm256_unpackhi_epi64(a, b);
    }
  }
  template <std::size_t gap>
  CYCLOTOME_INLINE static void exchange32(Vector& x, Vector& y) {
    if constexpr (gap == 1) {
      const Vector a = x, b = y;
      x = low_halves(a, b);
      y = high_halves(a, b);
    } else {
      exchange64<gap / 2>(x, y);
    }
  }
  CYCLOTOME_INLINE static void interleave64(Vector& x, Vector& y) {
    exchange64<1>(x, y);  // x0 y0 x2 y2, x1 y1 x3 y3
    exchange64<2>(x, y);
  }
  CYCLOTOME_INLINE static void deinterleave64(Vector& x, Vector& y) {
    exchange64<2>(x, y);
    exchange64<1>(x, y);
  }
  CYCLOTOME_INLINE static void interleave32(Vector& x, Vector& y) {
    const Vector a = x, b = y;
    x = _mm256_unpacklo_epi32(a, b);  // x0 y0 x1 y1, x4 y4 x5 y5
    y = _mm256_unpackhi_epi32(a, b);
    exchange64<2>(x, y);
  }
  CYCLOTOME_INLINE static void deinterleave32(Vector& x, Vector& y) {
    const Vector order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    x = _mm256_permutevar8x32_epi32(x, order);  // even lanes, odd lanes
    y = _mm256_permutevar8x32_epi32(y, order);
    exchange64<2>(x, y);
  }

  template <std::size_t gap>
  CYCLOTOME_INLINE static Vector load_repeated64(const std::uint64_t* p) {
    static_assert(gap == 2);
    return _mm256_permute4x64_epi64(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 0x50);
  }
  template <std::size_t gap>
  CYCLOTOME_INLINE static Vector load_repeated32(const std::uint32_t* p) {
    if constexpr (gap == 4) {
      const Vector two = _mm256_castsi128_si256(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
      return _mm256_permutevar8x32_epi32(two, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    } else {
      static_assert(gap == 2);
      const Vector four = _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
      return _mm256_permutevar8x32_epi32(four, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
    }
  }

  static constexpr bool permutes = true;
  CYCLOTOME_INLINE static Vector permuted64(Vector a, const std::uint32_t* sources) {
    const __m128i lanes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(sources));
    const Vector low = shift_left64<1>(_mm256_cvtepu32_epi64(lanes));  // of the two halves that a lane has
    const Vector halves = either(either(low, shift_left64<32>(low)), broadcast64(std::uint64_t{1} << 32));
    return _mm256_permutevar8x32_epi32(a, halves);
  }
  CYCLOTOME_INLINE static Vector permuted32(Vector a, const std::uint32_t* sources) {
    return _mm256_permutevar8x32_epi32(a, load(sources));
  }

  /// The same registers as lanes of doubles: the names that LanesDouble asks for.
  struct Doubles {
    using Vector = __m256d;
    /// How often a product's quotient is rounded before the last time, and how long it may be (double_ranges.hpp).
    static constexpr unsigned roundings = 2, quotient_bits = 51;

    CYCLOTOME_INLINE static Vector of(Avx2::Vector words) { return _mm256_castsi256_pd(words); }
    CYCLOTOME_INLINE static Avx2::Vector words(Vector x) { return _mm256_castpd_si256(x); }
    CYCLOTOME_INLINE static Vector broadcast(double x) { return _mm256_set1_pd(x); }
    CYCLOTOME_INLINE static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
    CYCLOTOME_INLINE static Vector subtract(Vector a, Vector b) { return _mm256_sub_pd(a, b); }
    CYCLOTOME_INLINE static Vector multiply(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
    CYCLOTOME_INLINE static Vector divide(Vector a, Vector b) { return _mm256_div_pd(a, b); }
    /// c + a b and c - a b, rounded once.
    CYCLOTOME_INLINE static Vector add_product(Vector c, Vector a, Vector b) { return _mm256_fmadd_pd(a, b, c); }
    CYCLOTOME_INLINE static Vector subtract_product(Vector c, Vector a, Vector b) { return _mm256_fnmadd_pd(a, b, c); }
    /// The multiple of 2^log_step next to a b, below 2^(51 + log_step): what a sum with 3/2 2^(52 + log_step) keeps of
    /// it.
    template <unsigned log_step = 0>
    CYCLOTOME_INLINE static Vector rounded_product(Vector a, Vector b) {
      const Vector shift = broadcast(0x1.8p52 * (1 << log_step));
      return subtract(_mm256_fmadd_pd(a, b, shift), shift);
    }
    /// y where x is below zero, else 0.
    CYCLOTOME_INLINE static Vector where_negative(Vector x, Vector y) {
      return _mm256_and_pd(y, _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_LT_OQ));
    }
    /// x + y where x is below zero, else x.
    CYCLOTOME_INLINE static Vector add_where_negative(Vector x, Vector y) { return add(x, where_negative(x, y)); }
  };
};

}  // namespace
}  // namespace cyclotome::cpu
