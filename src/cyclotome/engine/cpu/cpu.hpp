// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/engine/cpu/instruction_set.hpp"
#include "cyclotome/engine/engine.hpp"

namespace cyclotome {

/// An engine that computes on this machine's cores. threads = 0: one for each core this process may use.
/// instruction_set: the best of this machine unless another one of `cpu::instruction_sets()` is asked for. Throws
/// ArgumentError above 1024 threads, EngineError for a set that this machine does not have.
EnginePtr make_cpu_engine(std::size_t threads = 0, std::optional<cpu::InstructionSet> instruction_set = std::nullopt);

}  // namespace cyclotome
