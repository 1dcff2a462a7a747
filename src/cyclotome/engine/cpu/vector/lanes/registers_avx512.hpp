// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp. The unnamed namespace gives each
// such file its own copy, compiled for its own instruction set, that no other file can be linked to.

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "cyclotome/engine/cpu/vector/macros.hpp"

namespace cyclotome::cpu {
namespace {

/// 64-byte registers of AVX-512 F, DQ, BW and VL, as lanes of 32 or 64 bits. Lane 0 is the lowest in memory.
struct Avx512 {
  using Vector = __m512i;
  static constexpr std::size_t bytes = 64;
  static constexpr std::size_t registers = 32;

  CYCLOTOME_INLINE static Vector load(const void* p) { return _mm512_loadu_si512(p); }
  CYCLOTOME_INLINE static void store(void* p, Vector v) { _mm512_storeu_si512(p, v); }
  CYCLOTOME_INLINE static Vector zero() { return _mm512_setzero_si512(); }
  CYCLOTOME_INLINE static Vector both(Vector a, Vector b) { return _mm512_and_si512(a, b); }
  CYCLOTOME_INLINE static Vector either(Vector a, Vector b) { return _mm512_or_si512(a, b); }
  CYCLOTOME_INLINE static Vector exclusive_or(Vector a, Vector b) { return _mm512_xor_si512(a, b); }

  CYCLOTOME_INLINE static Vector broadcast64(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
  CYCLOTOME_INLINE static Vector add64(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
  CYCLOTOME_INLINE static Vector subtract64(Vector a, Vector b) { return _mm512_sub_epi64(a, b); }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_left64(Vector a) {
    return _mm512_slli_epi64(a, count);
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_right64(Vector a) {
    return _mm512_srli_epi64(a, count);
  }
  CYCLOTOME_INLINE static Vector shift_right64_by(Vector a, unsigned count) {
    return _mm512_srl_epi64(a, _mm_cvtsi32_si128(static_cast<int>(count)));
  }
  /// Each lane by a count of its own.
  CYCLOTOME_INLINE static Vector shift_right64_each(Vector a, Vector counts) { return _mm512_srlv_epi64(a, counts); }
  CYCLOTOME_INLINE static Vector shift_left64_by(Vector a, unsigned count) {
    return _mm512_sll_epi64(a, _mm_cvtsi32_si128(static_cast<int>(count)));
  }
  /// Low 32 bits of each 64-bit lane, multiplied to 64 bits.
  CYCLOTOME_INLINE static Vector multiply32(Vector a, Vector b) { return _mm512_mul_epu32(a, b); }
  /// The same halves as signed numbers.
  CYCLOTOME_INLINE static Vector multiply_signed32(Vector a, Vector b) { return _mm512_mul_epi32(a, b); }
  /// Low 64 bits of the product of 64-bit lanes.
  CYCLOTOME_INLINE static Vector product_low64(Vector a, Vector b) { return _mm512_mullo_epi64(a, b); }
  /// x in [0, 2m) -> [0, m), for m <= 2^63.
  CYCLOTOME_INLINE static Vector conditional_subtract64(Vector x, Vector m) {
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, m));
  }
  /// By the sign of each lane of `sign`.
  CYCLOTOME_INLINE static Vector choose_by_sign64(Vector sign, Vector positive, Vector negative) {
    return _mm512_mask_blend_epi64(_mm512_movepi64_mask(sign), positive, negative);
  }
  /// 1 where a >= b, else 0; a, b < 2^63.
  CYCLOTOME_INLINE static Vector reaches64(Vector a, Vector b) {
    return _mm512_maskz_set1_epi64(_mm512_cmpge_epu64_mask(a, b), 1);
  }

  /// 0, 1, 2, ...
  CYCLOTOME_INLINE static Vector indices32() {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
  template <int count>
  CYCLOTOME_INLINE static Vector rotate_left32(Vector a) {
    return _mm512_rol_epi32(a, count);
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_right32(Vector a) {
    return _mm512_srli_epi32(a, count);
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_left32(Vector a) {
    return _mm512_slli_epi32(a, count);
  }
  CYCLOTOME_INLINE static Vector broadcast32(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  CYCLOTOME_INLINE static Vector add32(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
  CYCLOTOME_INLINE static Vector subtract32(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
  /// Low 32 bits of the product of 32-bit lanes.
  CYCLOTOME_INLINE static Vector product_low32(Vector a, Vector b) { return _mm512_mullo_epi32(a, b); }
  /// x in [0, 2m) -> [0, m), for m <= 2^31.
  CYCLOTOME_INLINE static Vector conditional_subtract32(Vector x, Vector m) {
    return _mm512_min_epu32(x, _mm512_sub_epi32(x, m));
  }
  /// 1 where a >= b, else 0; a, b < 2^31.
  CYCLOTOME_INLINE static Vector reaches32(Vector a, Vector b) {
    return _mm512_maskz_set1_epi32(_mm512_cmpge_epu32_mask(a, b), 1);
  }
  /// High (low) halves of the 64-bit lanes of `even` and `odd`, alternating.
  CYCLOTOME_INLINE static Vector high_halves(Vector even, Vector odd) {
    return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
  }
  CYCLOTOME_INLINE static Vector low_halves(Vector even, Vector odd) {
    return _mm512_mask_shuffle_epi32(even, 0xAAAA, odd, _MM_PERM_CCAA);
  }

  /// Swaps the lanes of x whose index has the bit `gap` with the lanes of y whose index has not: (x, y) as one index,
  /// the bit that tells x from y changes places with the bit `gap`. Lanes of 64 bits.
  template <std::size_t gap>
  CYCLOTOME_INLINE static void exchange64(Vector& x, Vector& y) {
    const Vector a = x, b = y;
    if constexpr (gap == 4) {
      x = _mm512_shuffle_i64x2(a, b, 0x44);
      y = _mm512_shuffle_i64x2(a, b, 0xEE);
    } else if constexpr (gap == 2) {
      x = _mm512_mask_permutex_epi64(a, 0xCC, b, 0x44);
      y = _mm512_mask_permutex_epi64(b, 0x33, a, 0xEE);
    } else {
      static_assert(gap == 1);
      x = _mm512_unpacklo_epi64(a, b);
      y = _mm512_unpackhi_epi64(a, b);
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
  /// x0 y0 x1 y1 ... : the first half of that sequence to x, the second to y; and back.
  CYCLOTOME_INLINE static void interleave64(Vector& x, Vector& y) {
    const Vector low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                 high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    permute64(x, y, low, high);
  }
  CYCLOTOME_INLINE static void deinterleave64(Vector& x, Vector& y) {
    const Vector even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
                 odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    permute64(x, y, even, odd);
  }
  CYCLOTOME_INLINE static void interleave32(Vector& x, Vector& y) {
    const Vector low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    permute32(x, y, low, _mm512_add_epi32(low, _mm512_set1_epi32(8)));
  }
  CYCLOTOME_INLINE static void deinterleave32(Vector& x, Vector& y) {
    const Vector even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    permute32(x, y, even, _mm512_add_epi32(even, _mm512_set1_epi32(1)));
  }

  /// Words p[0], p[1], ..., each repeated `gap` times.
  template <std::size_t gap>
  CYCLOTOME_INLINE static Vector load_repeated64(const std::uint64_t* p) {
    if constexpr (gap == 4) {
      const Vector two = _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
      return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1), two);
    } else {
      static_assert(gap == 2);
      const Vector four = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
      return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), four);
    }
  }
  template <std::size_t gap>
  CYCLOTOME_INLINE static Vector load_repeated32(const std::uint32_t* p) {
    if constexpr (gap == 8) {
      const Vector two = _mm512_castsi128_si512(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
      return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1), two);
    } else if constexpr (gap == 4) {
      const Vector four = _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
      return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), four);
    } else {
      static_assert(gap == 2);
      const Vector eight = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
      return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7), eight);
    }
  }

  /// Lane i = lane sources[i], of whose numbers the bits that count lanes matter.
  static constexpr bool permutes = true;
  CYCLOTOME_INLINE static Vector permuted64(Vector a, const std::uint32_t* sources) {
    const __m256i lanes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sources));
    return _mm512_permutexvar_epi64(_mm512_cvtepu32_epi64(lanes), a);
  }
  CYCLOTOME_INLINE static Vector permuted32(Vector a, const std::uint32_t* sources) {
    return _mm512_permutexvar_epi32(load(sources), a);
  }

  /// The same registers as lanes of doubles.
  struct Doubles {
    using Vector = __m512d;
    static constexpr unsigned roundings = 2, quotient_bits = 51;

    CYCLOTOME_INLINE static Vector of(Avx512::Vector words) { return _mm512_castsi512_pd(words); }
    CYCLOTOME_INLINE static Avx512::Vector words(Vector x) { return _mm512_castpd_si512(x); }
    CYCLOTOME_INLINE static Vector broadcast(double x) { return _mm512_set1_pd(x); }
    CYCLOTOME_INLINE static Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
    CYCLOTOME_INLINE static Vector subtract(Vector a, Vector b) { return _mm512_sub_pd(a, b); }
    CYCLOTOME_INLINE static Vector multiply(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
    CYCLOTOME_INLINE static Vector divide(Vector a, Vector b) { return _mm512_div_pd(a, b); }
    CYCLOTOME_INLINE static Vector add_product(Vector c, Vector a, Vector b) { return _mm512_fmadd_pd(a, b, c); }
    CYCLOTOME_INLINE static Vector subtract_product(Vector c, Vector a, Vector b) { return _mm512_fnmadd_pd(a, b, c); }
    template <unsigned log_step = 0>
    CYCLOTOME_INLINE static Vector rounded_product(Vector a, Vector b) {
      const Vector shift = broadcast(0x1.8p52 * (1 << log_step));
      return subtract(_mm512_fmadd_pd(a, b, shift), shift);
    }
    CYCLOTOME_INLINE static Vector where_negative(Vector x, Vector y) {
      return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_LT_OQ), y);
    }
    CYCLOTOME_INLINE static Vector add_where_negative(Vector x, Vector y) {
      return _mm512_mask_add_pd(x, _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_LT_OQ), x, y);
    }
  };

 private:
  CYCLOTOME_INLINE static void permute64(Vector& x, Vector& y, Vector first, Vector second) {
    const Vector a = x, b = y;
    x = _mm512_permutex2var_epi64(a, first, b);
    y = _mm512_permutex2var_epi64(a, second, b);
  }
  CYCLOTOME_INLINE static void permute32(Vector& x, Vector& y, Vector first, Vector second) {
    const Vector a = x, b = y;
    x = _mm512_permutex2var_epi32(a, first, b);
    y = _mm512_permutex2var_epi32(a, second, b);
  }
};

}  // namespace
}  // namespace cyclotome::cpu
