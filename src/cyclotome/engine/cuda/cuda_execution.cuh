// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/device_graph.cuh"
#include "cyclotome/engine/cuda/launches_wait.hpp"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/cuda/waiting_calls.hpp"

namespace cyclotome {

/// A program on a GPU. What comes with as many items once more is a graph from then on: one launch does all of it.
/// Larger programs are walked step by step, a tile of items at a time.
class CudaExecution final : public Execution {
 public:
  /// state: of the engine.
  CudaExecution(std::shared_ptr<CudaEngine> engine, cuda::DeviceState& state, program::ProgramPtr program);
  ~CudaExecution() override;

  std::vector<std::string_view> steps() const override;

 protected:
  void do_run(std::span<const View> operands, std::size_t batch, std::span<const Seed* const> seeds,
              std::uint32_t first_item) const override;
  void zeroise(const View& output) const override { engine_->clear(output); }

 private:
  /// How many numbers of items have a graph on a stream.
  static constexpr std::size_t max_slots = 8;

  /// Of the program's operand number i.
  const program::Value& value(std::size_t i) const { return program().values()[program().operands()[i]]; }
  /// How many calls of one item may be done together; 1: none.
  std::size_t most_together() const;
  /// Whether both are of one item, as those are that are done together, and have the operands in common that all items
  /// share.
  bool fit(const cuda::ProgramCall& a, const cuda::ProgramCall& b) const;
  void run_alone(const cuda::ProgramCall& call) const;
  /// Copies their operands side by side, and results to where they belong.
  void run_together(std::span<const cuda::ProgramCall* const> calls) const;

  std::size_t tile_of_items(std::size_t batch) const;
  /// True if it was queued; false if it is to be walked.
  bool launch_graph(const cuda::ProgramCall& call, cuda::Lane& lane) const;
  cuda::GraphSlot& slot_of(cuda::Lane& lane, std::size_t items) const;
  void walk(const cuda::ProgramCall& call, std::size_t tile, const cuda::Turn& turn) const;

  std::shared_ptr<CudaEngine> engine_;
  cuda::DeviceState& state_;
  std::optional<cuda::PreparedProgram> prepared_;
  mutable std::optional<cuda::WaitingCalls<cuda::ProgramCall>> waiting_;  ///< none: each call is done alone
  /// By stream, each guarded by its store's mutex.
  mutable std::array<std::list<cuda::GraphSlot>, cuda::max_streams> slots_;
};

}  // namespace cyclotome
