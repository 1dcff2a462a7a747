// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "cyclotome/engine/engine.hpp"

namespace cyclotome::kit {

using Residues = std::vector<std::uint64_t>;

/// What a program is given: residues of its inputs, in the order of its operands; nothing for outputs.
struct Inputs {
  std::size_t batch;
  std::vector<Residues> residues;
  std::vector<Seed> seeds;
};

/// Random inputs, with the smallest and largest residues among them.
Inputs random_inputs(const program::Program& program, std::size_t batch, std::mt19937_64& random);

/// The outputs of a run on an engine, whose memory for them held no residues before.
std::vector<Residues> outputs_of(const Execution& execution, const EnginePtr& engine, const Inputs& inputs,
                                 std::uint32_t first_item);

}  // namespace cyclotome::kit
