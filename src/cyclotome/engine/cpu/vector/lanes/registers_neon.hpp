// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after every other header, into a file's own unnamed namespace, as registers_avx512.hpp is, whose vocabulary
// this has. 64-bit ARM always has these instructions, so no pragma asks for them.

#include <arm_neon.h>
#include <cstddef>
#include <cstdint>

#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/macros.hpp"

namespace cyclotome::cpu {
namespace {

/// 16-byte registers of 64-bit ARM's Advanced SIMD (NEON), as lanes of 32 or 64 bits. Lane 0 is the lowest in memory.
struct Neon {
  using Vector = uint64x2_t;
  static constexpr std::size_t bytes = 16;
  static constexpr std::size_t registers = 32;

  CYCLOTOME_INLINE static Vector load(const void* p) {
    return vreinterpretq_u64_u8(vld1q_u8(static_cast<const std::uint8_t*>(p)));
  }
  CYCLOTOME_INLINE static void store(void* p, Vector v) {
    vst1q_u8(static_cast<std::uint8_t*>(p), vreinterpretq_u8_u64(v));
  }
  CYCLOTOME_INLINE static Vector zero() { return vdupq_n_u64(0); }
  CYCLOTOME_INLINE static Vector both(Vector a, Vector b) { return vandq_u64(a, b); }
  CYCLOTOME_INLINE static Vector either(Vector a, Vector b) { return vorrq_u64(a, b); }
  CYCLOTOME_INLINE static Vector exclusive_or(Vector a, Vector b) { return veorq_u64(a, b); }

  CYCLOTOME_INLINE static Vector broadcast64(std::uint64_t x) { return vdupq_n_u64(x); }
  CYCLOTOME_INLINE static Vector add64(Vector a, Vector b) { return vaddq_u64(a, b); }
  CYCLOTOME_INLINE static Vector subtract64(Vector a, Vector b) { return vsubq_u64(a, b); }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_left64(Vector a) {
    return vshlq_n_u64(a, count);
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_right64(Vector a) {
    return vshrq_n_u64(a, count);
  }
  CYCLOTOME_INLINE static Vector multiply32(Vector a, Vector b) { return vmull_u32(vmovn_u64(a), vmovn_u64(b)); }
  /// x in [0, 2m) -> [0, m), for m <= 2^63.
  CYCLOTOME_INLINE static Vector conditional_subtract64(Vector x, Vector m) {
    return vbslq_u64(vcgeq_u64(x, m), vsubq_u64(x, m), x);
  }

  CYCLOTOME_INLINE static Vector indices32() {
    static constexpr std::uint32_t indices[4] = {0, 1, 2, 3};
    return load(indices);
  }
  template <int count>
  CYCLOTOME_INLINE static Vector rotate_left32(Vector a) {
    if constexpr (count == 16) {
      return vreinterpretq_u64_u16(vrev32q_u16(vreinterpretq_u16_u64(a)));
    } else {
      return of(vsriq_n_u32(vshlq_n_u32(words(a), count), words(a), 32 - count));
    }
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_right32(Vector a) {
    return of(vshrq_n_u32(words(a), count));
  }
  template <unsigned count>
  CYCLOTOME_INLINE static Vector shift_left32(Vector a) {
    return of(vshlq_n_u32(words(a), count));
  }
  CYCLOTOME_INLINE static Vector broadcast32(std::uint32_t x) { return of(vdupq_n_u32(x)); }
  CYCLOTOME_INLINE static Vector add32(Vector a, Vector b) { return of(vaddq_u32(words(a), words(b))); }
  CYCLOTOME_INLINE static Vector subtract32(Vector a, Vector b) { return of(vsubq_u32(words(a), words(b))); }
  CYCLOTOME_INLINE static Vector product_low32(Vector a, Vector b) { return of(vmulq_u32(words(a), words(b))); }
  CYCLOTOME_INLINE static Vector conditional_subtract32(Vector x, Vector m) {
    return of(vminq_u32(words(x), vsubq_u32(words(x), words(m))));
  }
  /// c - a b, one instruction: compilers that see through it spread it over the sums that follow.
  CYCLOTOME_INLINE static Vector subtract_product32(Vector c, Vector a, Vector b) {
    uint32x4_t difference = vmlsq_u32(words(c), words(a), words(b));
    asm("" : "+w"(difference));
    return of(difference);
  }
  /// 1 where a >= b, else 0.
  CYCLOTOME_INLINE static Vector reaches32(Vector a, Vector b) {
    return of(vshrq_n_u32(vcgeq_u32(words(a), words(b)), 31));
  }
  CYCLOTOME_INLINE static Vector high_halves(Vector even, Vector odd) {
    return of(vtrn2q_u32(words(even), words(odd)));
  }
  CYCLOTOME_INLINE static Vector low_halves(Vector even, Vector odd) { return of(vtrn1q_u32(words(even), words(odd))); }

  template <std::size_t gap>
  CYCLOTOME_INLINE static void exchange64(Vector& x, Vector& y) {
    static_assert(gap == 1);
    const Vector a = x, b = y;
    x = vtrn1q_u64(a, b);
    y = vtrn2q_u64(a, b);
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
  CYCLOTOME_INLINE static void interleave64(Vector& x, Vector& y) { exchange64<1>(x, y); }
  CYCLOTOME_INLINE static void deinterleave64(Vector& x, Vector& y) { exchange64<1>(x, y); }
  CYCLOTOME_INLINE static void interleave32(Vector& x, Vector& y) {
    const uint32x4_t a = words(x), b = words(y);
    x = of(vzip1q_u32(a, b));
    y = of(vzip2q_u32(a, b));
  }
  CYCLOTOME_INLINE static void deinterleave32(Vector& x, Vector& y) {
    const uint32x4_t a = words(x), b = words(y);
    x = of(vuzp1q_u32(a, b));
    y = of(vuzp2q_u32(a, b));
  }

  template <std::size_t gap>
  CYCLOTOME_INLINE static Vector load_repeated32(const std::uint32_t* p) {
    static_assert(gap == 2);
    const uint32x2_t two = vld1_u32(p);
    const uint32x4_t both = vcombine_u32(two, two);
    return of(vzip1q_u32(both, both));
  }

  static constexpr bool permutes = false;  // two or four lanes, no more than as many loads

  /// The same registers as lanes of doubles.
  struct Doubles {
    using Vector = float64x2_t;
    static constexpr unsigned roundings = 3, quotient_bits = 53;

    CYCLOTOME_INLINE static Vector of(Neon::Vector words) { return vreinterpretq_f64_u64(words); }
    CYCLOTOME_INLINE static Neon::Vector words(Vector x) { return vreinterpretq_u64_f64(x); }
    CYCLOTOME_INLINE static Vector broadcast(double x) { return vdupq_n_f64(x); }
    CYCLOTOME_INLINE static Vector add(Vector a, Vector b) { return vaddq_f64(a, b); }
    CYCLOTOME_INLINE static Vector subtract(Vector a, Vector b) { return vsubq_f64(a, b); }
    CYCLOTOME_INLINE static Vector multiply(Vector a, Vector b) { return vmulq_f64(a, b); }
    CYCLOTOME_INLINE static Vector divide(Vector a, Vector b) { return vdivq_f64(a, b); }
    CYCLOTOME_INLINE static Vector add_product(Vector c, Vector a, Vector b) { return vfmaq_f64(c, a, b); }
    CYCLOTOME_INLINE static Vector subtract_product(Vector c, Vector a, Vector b) { return vfmsq_f64(c, a, b); }
    /// Rounded twice, which spares the copy of a constant that a sum would overwrite, and to any integer.
    template <unsigned log_step = 0>
    CYCLOTOME_INLINE static Vector rounded_product(Vector a, Vector b) {
      return vrndnq_f64(vmulq_f64(a, b));
    }
    CYCLOTOME_INLINE static Vector where_negative(Vector x, Vector y) { return of(both(words(y), vcltzq_f64(x))); }
    CYCLOTOME_INLINE static Vector add_where_negative(Vector x, Vector y) { return add(x, where_negative(x, y)); }
  };

  CYCLOTOME_INLINE static uint32x4_t words(Vector a) { return vreinterpretq_u32_u64(a); }
  CYCLOTOME_INLINE static Vector of(uint32x4_t a) { return vreinterpretq_u64_u32(a); }
};

/// Products of the lower two lanes, and of the upper two.
template <>
struct WideProducts<Neon> {
  using Vector = Neon::Vector;
  struct Wide {
    Vector first, second;
  };
  struct Operand {
    uint32x4_t value;
  };

  CYCLOTOME_INLINE static Operand operand(Vector x) { return {Neon::words(x)}; }
  CYCLOTOME_INLINE static Operand repeated(Vector x) { return operand(x); }
  CYCLOTOME_INLINE static Vector half(Vector x, bool second) {
    return second ? vmovl_high_u32(Neon::words(x)) : vmovl_u32(vget_low_u32(Neon::words(x)));
  }
  CYCLOTOME_INLINE static Wide widened(Vector x) { return {half(x, false), half(x, true)}; }
  CYCLOTOME_INLINE static Wide multiply(Vector a, const Operand& b) {
    const uint32x4_t x = Neon::words(a);
    return {vmull_u32(vget_low_u32(x), vget_low_u32(b.value)), vmull_high_u32(x, b.value)};
  }
  CYCLOTOME_INLINE static Wide add_product(const Wide& sum, Vector a, const Operand& b) {
    const uint32x4_t x = Neon::words(a);
    return {vmlal_u32(sum.first, vget_low_u32(x), vget_low_u32(b.value)), vmlal_high_u32(sum.second, x, b.value)};
  }
  CYCLOTOME_INLINE static Vector high(const Wide& x) {
    return Neon::of(vuzp2q_u32(Neon::words(x.first), Neon::words(x.second)));
  }
  CYCLOTOME_INLINE static Vector low(const Wide& x) {
    return Neon::of(vuzp1q_u32(Neon::words(x.first), Neon::words(x.second)));
  }
};

}  // namespace
}  // namespace cyclotome::cpu
