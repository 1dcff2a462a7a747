// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cyclotome::cpu {

/// Which vector instructions the CPU engine's inner loops are written with; each set of x86-64 includes the ones before
/// it. All give the same bits.
enum class InstructionSet : std::uint8_t {
  scalar,       ///< what the compiler was told to target; any machine
  neon,         ///< 64-bit ARM, all of it: 16-byte registers
  avx2,         ///< x86-64 with AVX2: 32-byte registers
  avx512,       ///< x86-64 with AVX-512 F, DQ, BW, VL: 64-byte registers
  avx512_ifma,  ///< ... and IFMA: 52-bit multipliers for 64-bit words with moduli below 2^50
};

/// "scalar", "neon", "avx2", "avx512", "avx512-ifma".
std::string_view name_of(InstructionSet set) noexcept;

/// The sets that this library was built with and that this machine (processor and operating system) can run, in
/// ascending order; never empty. The last one is the default.
std::vector<InstructionSet> instruction_sets();

}  // namespace cyclotome::cpu
