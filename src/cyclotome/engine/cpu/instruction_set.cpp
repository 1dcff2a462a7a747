// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/instruction_set.hpp"

namespace cyclotome::cpu {

std::string_view name_of(InstructionSet set) noexcept {
  switch (set) {
    case InstructionSet::scalar:
      return "scalar";
    case InstructionSet::neon:
      return "neon";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::avx512_ifma:
      return "avx512-ifma";
  }
  return "unknown";
}

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets{InstructionSet::scalar};
#if defined(__x86_64__)
  // These ask the processor and whether the operating system saves the registers.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return sets;
  sets.push_back(InstructionSet::avx2);
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl")) {
    return sets;
  }
  sets.push_back(InstructionSet::avx512);
  if (__builtin_cpu_supports("avx512ifma")) sets.push_back(InstructionSet::avx512_ifma);
#elif defined(__aarch64__)
  sets.push_back(InstructionSet::neon);
#endif
  return sets;
}

}  // namespace cyclotome::cpu
