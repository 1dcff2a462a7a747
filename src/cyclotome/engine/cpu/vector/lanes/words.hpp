// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/vector/macros.hpp"
#include "cyclotome/math/word.hpp"

namespace cyclotome::cpu {
namespace {

/// Registers `R` as lanes of one word: the operations of R without the width in their names.
template <class R, LimbWord W>
struct WordLanes {
  using Registers = R;
  using Word = W;
  using Vector = typename R::Vector;
  static constexpr std::size_t lanes = R::bytes / sizeof(Word);

  CYCLOTOME_INLINE static Vector broadcast(Word x) {
    if constexpr (sizeof(W) == 4) {
      return R::broadcast32(x);
    } else {
      return R::broadcast64(x);
    }
  }
  CYCLOTOME_INLINE static Vector add(Vector a, Vector b) {
    if constexpr (sizeof(W) == 4) {
      return R::add32(a, b);
    } else {
      return R::add64(a, b);
    }
  }
  CYCLOTOME_INLINE static Vector subtract(Vector a, Vector b) {
    if constexpr (sizeof(W) == 4) {
      return R::subtract32(a, b);
    } else {
      return R::subtract64(a, b);
    }
  }
  CYCLOTOME_INLINE static Vector product_low(Vector a, Vector b) {
    if constexpr (sizeof(W) == 4) {
      return R::product_low32(a, b);
    } else {
      return R::product_low64(a, b);
    }
  }
  /// c - a b.
  CYCLOTOME_INLINE static Vector subtract_product(Vector c, Vector a, Vector b) {
    if constexpr (sizeof(W) == 4 && requires { R::subtract_product32(c, a, b); }) {
      return R::subtract_product32(c, a, b);
    } else {
      return subtract(c, product_low(a, b));
    }
  }
  CYCLOTOME_INLINE static Vector conditional_subtract(Vector x, Vector m) {
    if constexpr (sizeof(W) == 4) {
      return R::conditional_subtract32(x, m);
    } else {
      return R::conditional_subtract64(x, m);
    }
  }
  CYCLOTOME_INLINE static Vector reaches(Vector a, Vector b) {
    if constexpr (sizeof(W) == 4) {
      return R::reaches32(a, b);
    } else {
      return R::reaches64(a, b);
    }
  }
  CYCLOTOME_INLINE static void interleave(Vector& x, Vector& y) {
    if constexpr (sizeof(W) == 4) {
      return R::interleave32(x, y);
    } else {
      return R::interleave64(x, y);
    }
  }
  CYCLOTOME_INLINE static void deinterleave(Vector& x, Vector& y) {
    if constexpr (sizeof(W) == 4) {
      return R::deinterleave32(x, y);
    } else {
      return R::deinterleave64(x, y);
    }
  }
  template <std::size_t gap>
  CYCLOTOME_INLINE static void exchange(Vector& x, Vector& y) {
    if constexpr (sizeof(W) == 4) {
      return R::template exchange32<gap>(x, y);
    } else {
      return R::template exchange64<gap>(x, y);
    }
  }
  template <std::size_t gap>
  CYCLOTOME_INLINE static Vector load_repeated(const Word* p) {
    if constexpr (sizeof(W) == 4) {
      return R::template load_repeated32<gap>(p);
    } else {
      return R::template load_repeated64<gap>(p);
    }
  }
};

/// High word of the product of 64-bit lanes.
template <class R>
CYCLOTOME_INLINE typename R::Vector multiply_high64(typename R::Vector a, typename R::Vector b) {
  using Vector = typename R::Vector;
  const Vector a_high = R::template shift_right64<32>(a), b_high = R::template shift_right64<32>(b);
  const Vector cross = R::add64(R::multiply32(a_high, b), R::template shift_right64<32>(R::multiply32(a, b)));
  const Vector other = R::add64(R::multiply32(a, b_high), R::both(cross, R::broadcast64(0xffffffff)));
  const Vector carries = R::add64(R::template shift_right64<32>(cross), R::template shift_right64<32>(other));
  return R::add64(R::multiply32(a_high, b_high), carries);
}

}  // namespace
}  // namespace cyclotome::cpu
