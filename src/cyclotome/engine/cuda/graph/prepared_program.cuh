// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "cyclotome/engine/cuda/steps/steps.cuh"
#include "cyclotome/engine/running/frame.hpp"

namespace cyclotome::cuda {

/// A step of a program, its constants found.
struct PreparedStep {
  std::string_view name;  ///< of the verb or the composite
  Step work;
  std::vector<program::Place> places;       ///< its operands
  std::vector<std::uint32_t> begins, ends;  ///< temporaries that it is the first, or the last, to use
  std::uint32_t operands = 0;               ///< bit i: it touches operand i of the program
  bool draws = false;                       ///< from a seed
  bool secret = false;                      ///< memory of its own may hold secrets

  void operator()(const Frame& frame, const StepContext& at) const;
};

/// What the CUDA engine does for a program, before it is known for how many items and where they lie.
class PreparedProgram {
 public:
  PreparedProgram(DeviceConstants& constants, const program::Program& program);

  const program::Program& program() const noexcept { return program_; }
  /// The first `once` of them are for all items, the others for a tile of them.
  const std::vector<PreparedStep>& steps() const noexcept { return steps_; }
  std::size_t once() const noexcept { return once_; }
  /// Temporaries that are there from before the first step to the end.
  const std::vector<std::uint32_t>& kept() const noexcept { return kept_; }
  /// The most bytes of temporaries that are there together: for each item, and besides.
  std::size_t item_bytes() const noexcept { return item_bytes_; }
  std::size_t fixed_bytes() const noexcept { return fixed_bytes_; }
  /// Of a tile: more do not fit the grids of kernels.
  std::size_t most_items() const noexcept { return most_items_; }
  /// Whether a step draws from a seed.
  bool draws() const noexcept { return draws_; }

 private:
  PreparedStep verb(DeviceConstants& constants, const program::Op& op) const;
  PreparedStep native(const program::Composite& composite, Step work) const;
  void note_operands(PreparedStep& step) const;

  const program::Program& program_;
  std::vector<PreparedStep> steps_;
  std::size_t once_ = 0;
  std::vector<std::uint32_t> kept_;
  std::size_t item_bytes_ = 0, fixed_bytes_ = 0, most_items_ = 0;
  bool draws_ = false;
};

}  // namespace cyclotome::cuda
