// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/memory/device_constants.cuh"
#include "cyclotome/program/program.hpp"

// The steps of a program: verbs, and composites that are computed at once. All constants are found when a step is
// prepared; what depends on the number of items is decided when it runs.
namespace cyclotome::cuda {

struct PeakCell;

/// Where blocks of one kernel meet, on one stream: zeros between kernels.
struct BlockCells {
  PeakCell* peaks = nullptr;         ///< one for each item
  std::uint32_t* tickets = nullptr;  ///< of a TicketedGrid
};

/// Memory of a step's own, until it is done.
class Scratch {
 public:
  virtual ~Scratch() = default;
  virtual void* take(std::size_t bytes) = 0;
};

/// What a step works with besides its operands.
struct StepContext {
  const Queue& queue;
  Scratch& scratch;
  std::span<const Seed* const> seeds{};
  std::uint32_t first_item = 0;  ///< its number in the streams of the seeds
  BlockCells cells{};            ///< of the stream on which it runs
};

/// operands: out, a and b of a verb, of which the last may not exist; the outs and then the ins of a composite. What is
/// broadcast has one item, or one part. Items times twice the largest part count are at most max_items.
using Operands = std::span<const View>;
using Step = std::function<void(const StepContext&, Operands)>;

Step prepare_verb(DeviceConstants& constants, const program::Op& op);

/// Empty where there is no code for a composite: unknown to this engine, or no kernel for the degree or the device.
Step prepare_native(DeviceConstants& constants, const program::Program& program, const program::Composite& composite);

}  // namespace cyclotome::cuda
