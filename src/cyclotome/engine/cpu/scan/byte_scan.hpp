// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "cyclotome/engine/byte_scan.hpp"
#include "cyclotome/engine/cpu/instruction_set.hpp"
#include "cyclotome/engine/engine.hpp"

namespace cyclotome::cpu {

/// Scans on the threads of `engine`, which lends them (host_threads.hpp) and is kept alive; with its vector
/// instructions unless others of this machine are asked for. Throws EngineError for an engine without threads of this
/// machine, and for instructions that it does not have.
std::unique_ptr<ByteScan> make_byte_scan(const EnginePtr& engine,
                                         std::optional<InstructionSet> instruction_set = std::nullopt);

}  // namespace cyclotome::cpu
