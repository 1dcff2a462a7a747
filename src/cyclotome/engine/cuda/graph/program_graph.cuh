// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/graph/graph_kernels.hpp"
#include "cyclotome/engine/cuda/graph/prepared_program.cuh"
#include "cyclotome/engine/cuda/memory/arena.cuh"

namespace cyclotome::cuda {

/// A program's operands and seeds, as it runs once.
struct ProgramCall {
  std::span<const View> operands;
  std::size_t items;
  std::span<const Seed* const> seeds;
  std::uint32_t first_item;
};

/// Where kernels of a graph run. cells: the stream's.
struct GraphContext {
  CodePaths paths;
  BlockCells cells{};
};

/// A program's kernels for a number of items, one after the other, temporaries where they stay. It follows operands
/// that move: the steps that touch one are walked again, and their kernels' arguments compared with what is there.
class ProgramGraph {
 public:
  /// Fills the chain; memory is the arena's, and what held secrets in it is zeroised by the last kernels. program,
  /// chain and arena outlive this object. Throws EngineError.
  ProgramGraph(const PreparedProgram& program, KernelChain& chain, Arena& arena, const GraphContext& context,
               const ProgramCall& call);

  /// The same for a call with as many items. The chain holds its seeds from here on until they are forgotten. Throws
  /// EngineError, and is of no use then.
  void update(const ProgramCall& call);
  /// Throws EngineError.
  void forget_seeds() {
    if (program_.draws()) kernels_.forget_seeds();
  }
  const std::vector<PackedKernel>& kernels() const noexcept { return kernels_.kernels(); }

 private:
  void build_step(const PreparedStep& step, const ProgramCall& call);
  void wipe_secrets();

  const PreparedProgram& program_;
  Arena& arena_;
  GraphKernels kernels_;
  Queue queue_;
  BlockCells cells_;
  Frame frame_;
  std::vector<std::size_t> blocks_;          // of the arena, by value
  std::vector<std::vector<void*>> scratch_;  // by step
  std::vector<View> operands_;               // of the last call
};

}  // namespace cyclotome::cuda
