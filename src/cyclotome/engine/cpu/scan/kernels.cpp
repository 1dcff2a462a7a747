// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/scan/kernels.hpp"

#include <algorithm>
#include <array>

namespace cyclotome::cpu {

void scan_scalar(std::int64_t* sums, const std::uint8_t* tile, const std::int8_t* digits, std::size_t quads) {
  constexpr std::size_t columns = ByteTiles::columns, rows = ByteTiles::rows;
  while (quads != 0) {
    const std::size_t run = std::min(quads, quads_of_a_sum);
    std::array<std::int32_t, ByteScan::block_sums> small{};
    for (std::size_t k = 0; k < run; ++k, tile += columns * rows, digits += ByteScan::digits * rows) {
      for (std::size_t d = 0; d < ByteScan::digits; ++d) {
        const std::int8_t* const digit = digits + d * rows;
        for (std::size_t c = 0; c < columns; ++c) {
          const std::uint8_t* const byte = tile + c * rows;
          small[d * columns + c] += byte[0] * digit[0] + byte[1] * digit[1] + byte[2] * digit[2] + byte[3] * digit[3];
        }
      }
    }
    for (std::size_t i = 0; i < small.size(); ++i) sums[i] += small[i];
    quads -= run;
  }
}

ScanKernel& scan_kernel([[maybe_unused]] InstructionSet set) noexcept {
#if defined(__x86_64__)
  if (set >= InstructionSet::avx512 && __builtin_cpu_supports("avx512vnni")) return scan_vnni;
  if (set >= InstructionSet::avx2) return scan_avx2;
#endif
  return scan_scalar;
}

}  // namespace cyclotome::cpu
