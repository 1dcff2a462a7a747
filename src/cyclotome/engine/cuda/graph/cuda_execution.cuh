// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/graph/device_graph.cuh"
#include "cyclotome/engine/cuda/graph/launches_wait.hpp"
#include "cyclotome/engine/cuda/state.cuh"

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
  std::size_t tile_of_items(std::size_t batch) const;
  /// True if it was queued; false if it is to be walked.
  bool launch_graph(const cuda::ProgramCall& call, cuda::Lane& lane) const;
  cuda::GraphSlot& slot_of(cuda::Lane& lane, std::size_t items) const;
  void walk(const cuda::ProgramCall& call, std::size_t tile, const cuda::Turn& turn) const;

  std::shared_ptr<CudaEngine> engine_;
  cuda::DeviceState& state_;
  std::optional<cuda::PreparedProgram> prepared_;
  /// By stream, each guarded by its store's mutex.
  mutable std::array<std::list<cuda::GraphSlot>, cuda::max_streams> slots_;
};

}  // namespace cyclotome
