// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/polynomials/carrier.hpp"

// Kernels keep such values in registers, so loops over them have to be unrolled there.
#if defined(__CUDA_ARCH__)
#define CYCLOTOME_LTV_UNROLL _Pragma("unroll")
#else
#define CYCLOTOME_LTV_UNROLL
#endif

namespace cyclotome::study::ltv {

namespace detail {

CYCLOTOME_HD constexpr unsigned reversed_bits(unsigned x, unsigned size) noexcept {
  unsigned result = 0;
  for (; size > 1; size /= 2, x /= 2) result = 2 * result + x % 2;
  return result;
}

/// Butterfly I and those after it of the stage with this gap; shifts are known when it is compiled.
template <unsigned Size, unsigned Gap, unsigned I = 0>
CYCLOTOME_HD constexpr void butterflies(std::uint64_t* y) noexcept {
  if constexpr (I < Size / 2) {
    constexpr unsigned k = I % Gap, low = (I / Gap) * 2 * Gap + k;
    const std::uint64_t u = y[low], v = y[low + Gap];
    y[low] = carrier::add(u, v);
    y[low + Gap] = carrier::shifted<k*(carrier::shift_order / (2 * Gap))>(carrier::subtract(u, v));
    butterflies<Size, Gap, I + 1>(y);
  }
}

template <unsigned Size, unsigned Gap = Size / 2>
CYCLOTOME_HD constexpr void stages(std::uint64_t* y) noexcept {
  if constexpr (Gap >= 1) {
    butterflies<Size, Gap>(y);
    stages<Size, Gap / 2>(y);
  }
}

/// Radix 2, decimation in frequency: roots are powers of 2^(192/Size).
template <unsigned Size, unsigned Stride>
CYCLOTOME_HD constexpr void transform_by_two(std::uint64_t* x) noexcept {
  std::uint64_t y[Size] = {};
  CYCLOTOME_LTV_UNROLL
  for (unsigned i = 0; i < Size; ++i) y[i] = x[i * Stride];
  stages<Size>(y);
  CYCLOTOME_LTV_UNROLL
  for (unsigned i = 0; i < Size; ++i) x[i * Stride] = y[reversed_bits(i, Size)];
}

/// Multiplies value 8 k + i by 8^(i k), for I = 8 k + i and those after it.
template <unsigned I = 9>
CYCLOTOME_HD constexpr void inner_twiddles(std::uint64_t* x) noexcept {
  if constexpr (I < 64) {
    x[I] = carrier::shifted<3 * (I / 8) * (I % 8)>(x[I]);
    inner_twiddles<I + 1>(x);
  }
}

}  // namespace detail

/// A transform of `Size` values, a power of two up to 64, in place, natural order: X_k = sum x_i 2^(192 i k / Size).
/// Products are shifts. 64 values are eight times eight, twice, as the paper's kernels do it.
template <unsigned Size>
CYCLOTOME_HD constexpr void small_transform(std::uint64_t* x) noexcept {
  if constexpr (Size <= 32) {
    detail::transform_by_two<Size, 1>(x);
  } else {
    static_assert(Size == 64);
    CYCLOTOME_LTV_UNROLL
    for (unsigned i = 0; i < 8; ++i) detail::transform_by_two<8, 8>(x + i);
    detail::inner_twiddles(x);
    CYCLOTOME_LTV_UNROLL
    for (unsigned k = 0; k < 8; ++k) detail::transform_by_two<8, 1>(x + 8 * k);
    CYCLOTOME_LTV_UNROLL
    for (unsigned i = 0; i < 8; ++i) {  // value k + 8 l stands at 8 k + l
      CYCLOTOME_LTV_UNROLL
      for (unsigned k = i + 1; k < 8; ++k) {
        const std::uint64_t other = x[8 * k + i];
        x[8 * k + i] = x[8 * i + k];
        x[8 * i + k] = other;
      }
    }
  }
}

}  // namespace cyclotome::study::ltv
