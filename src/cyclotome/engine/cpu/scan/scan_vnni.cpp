// SPDX-License-Identifier: Apache-2.0
// Bytes times digits for AVX-512 VNNI: `vpdpbusd` adds four products of an unsigned and a signed byte to a 32-bit sum,
// without saturation. A block's 32 columns are two registers, its sums fourteen.
#if defined(__x86_64__)

// Every header that may define functions comes before the target pragma.
#include <algorithm>
#include <array>
#include <cstring>
#include <immintrin.h>

#include "cyclotome/engine/cpu/scan/kernels.hpp"
#include "cyclotome/engine/cpu/vector/macros.hpp"

CYCLOTOME_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")

namespace cyclotome::cpu {

namespace {

constexpr std::size_t digits_count = ByteScan::digits;

__m512i digits_at(const std::int8_t* digits) {
  std::int32_t word;
  std::memcpy(&word, digits, sizeof word);
  return _mm512_set1_epi32(word);
}

void add_to(std::int64_t* sums, __m512i small) {
  alignas(64) std::array<std::int32_t, 16> values;
  _mm512_store_si512(values.data(), small);
  for (std::size_t i = 0; i < 16; ++i) sums[i] += values[i];
}

}  // namespace

void scan_vnni(std::int64_t* sums, const std::uint8_t* tile, const std::int8_t* digits, std::size_t quads) {
  while (quads != 0) {
    const std::size_t run = std::min(quads, quads_of_a_sum);
    __m512i left[digits_count], right[digits_count];
    for (__m512i& sum : left) sum = _mm512_setzero_si512();
    for (__m512i& sum : right) sum = _mm512_setzero_si512();
    for (std::size_t k = 0; k < run; ++k, tile += 128, digits += 4 * digits_count) {
      const __m512i first = _mm512_loadu_si512(tile), second = _mm512_loadu_si512(tile + 64);
      for (std::size_t d = 0; d < digits_count; ++d) {
        const __m512i digit = digits_at(digits + 4 * d);
        left[d] = _mm512_dpbusd_epi32(left[d], first, digit);
        right[d] = _mm512_dpbusd_epi32(right[d], second, digit);
      }
    }
    for (std::size_t d = 0; d < digits_count; ++d) {
      add_to(sums + d * ByteTiles::columns, left[d]);
      add_to(sums + d * ByteTiles::columns + 16, right[d]);
    }
    quads -= run;
  }
}

}  // namespace cyclotome::cpu

CYCLOTOME_TARGET_END

#endif
