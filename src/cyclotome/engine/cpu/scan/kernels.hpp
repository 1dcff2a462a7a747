// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cyclotome/engine/byte_scan.hpp"
#include "cyclotome/engine/cpu/instruction_set.hpp"

namespace cyclotome::cpu {

/// sums[digit][column] += the sum over `quads` quads of a block's bytes times their digits (byte_scan.hpp has the
/// layouts). Any number of quads: 32-bit sums are emptied before they could overflow.
using ScanKernel = void(std::int64_t* sums, const std::uint8_t* tile, const std::int8_t* digits, std::size_t quads);

/// Quads that a 32-bit sum holds: 4 * 16384 products of at most 255 * 128 are below 2^31.
inline constexpr std::size_t quads_of_a_sum = 16384;

ScanKernel scan_scalar;
#if defined(__x86_64__)
ScanKernel scan_avx2;
ScanKernel scan_vnni;
#endif

/// The kernel for a set: `scan_vnni` where the processor multiplies bytes (AVX-512 VNNI), which is not a set of its
/// own.
ScanKernel& scan_kernel(InstructionSet set) noexcept;

}  // namespace cyclotome::cpu
