// SPDX-License-Identifier: Apache-2.0
// Bytes times digits for AVX2. Its product of bytes saturates, so both are widened to 16 bits: bytes of even and of odd
// rows apart, whose products with digits `vpmaddwd` adds in pairs, exactly.
#if defined(__x86_64__)

// Every header that may define functions comes before the target pragma.
#include <algorithm>
#include <array>
#include <cstring>
#include <immintrin.h>

#include "cyclotome/engine/cpu/scan/kernels.hpp"
#include "cyclotome/engine/cpu/vector/macros.hpp"

CYCLOTOME_TARGET_BEGIN("avx2")

namespace cyclotome::cpu {

namespace {

/// So many quads of a block, 16 KiB, stay in the first cache while its columns are gone through, 8 at a time.
constexpr std::size_t run_quads = 128;
constexpr std::size_t digits_count = ByteScan::digits;

/// Two digits of 16 bits in a word.
std::int32_t pair_of(std::int8_t low, std::int8_t high) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint16_t>(low)) |
                                   static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16);
}

/// Digits of even rows and of odd rows: [quad][digit][even, odd].
using Widened = std::array<std::int32_t, run_quads * digits_count * 2>;

void widen(Widened& wide, const std::int8_t* digits, std::size_t quads) {
  for (std::size_t i = 0; i < quads * digits_count; ++i, digits += 4) {
    wide[2 * i] = pair_of(digits[0], digits[2]);
    wide[2 * i + 1] = pair_of(digits[1], digits[3]);
  }
}

void add_to(std::int64_t* sums, __m256i small) {
  alignas(32) std::array<std::int32_t, 8> values;
  _mm256_store_si256(reinterpret_cast<__m256i*>(values.data()), small);
  for (std::size_t i = 0; i < 8; ++i) sums[i] += values[i];
}

/// 8 columns: sums[digit * 32 ... + 8] += ...
void accumulate(std::int64_t* sums, const std::uint8_t* tile, const Widened& wide, std::size_t quads) {
  const __m256i low_bytes = _mm256_set1_epi16(0x00ff);
  __m256i small[digits_count];
  for (__m256i& sum : small) sum = _mm256_setzero_si256();
  for (std::size_t k = 0; k < quads; ++k, tile += ByteTiles::columns * ByteTiles::rows) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tile));
    const __m256i even = _mm256_and_si256(bytes, low_bytes), odd = _mm256_srli_epi16(bytes, 8);
    for (std::size_t d = 0; d < digits_count; ++d) {
      const std::size_t at = 2 * (k * digits_count + d);
      const __m256i products = _mm256_add_epi32(_mm256_madd_epi16(even, _mm256_set1_epi32(wide[at])),
                                                _mm256_madd_epi16(odd, _mm256_set1_epi32(wide[at + 1])));
      small[d] = _mm256_add_epi32(small[d], products);
    }
  }
  for (std::size_t d = 0; d < digits_count; ++d) add_to(sums + d * ByteTiles::columns, small[d]);
}

}  // namespace

void scan_avx2(std::int64_t* sums, const std::uint8_t* tile, const std::int8_t* digits, std::size_t quads) {
  Widened wide;
  while (quads != 0) {
    const std::size_t run = std::min(quads, run_quads);
    widen(wide, digits, run);
    for (std::size_t c = 0; c < ByteTiles::columns; c += 8) accumulate(sums + c, tile + c * ByteTiles::rows, wide, run);
    tile += run * ByteTiles::columns * ByteTiles::rows;
    digits += run * digits_count * ByteTiles::rows;
    quads -= run;
  }
}

}  // namespace cyclotome::cpu

CYCLOTOME_TARGET_END

#endif
