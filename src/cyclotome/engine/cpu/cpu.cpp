// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/cpu.hpp"

#include "cyclotome/engine/cpu/cpu_engine.hpp"

namespace cyclotome {

EnginePtr make_cpu_engine(std::size_t threads, std::optional<cpu::InstructionSet> instruction_set) {
  return CpuEngine::create(threads, instruction_set);
}

}  // namespace cyclotome
