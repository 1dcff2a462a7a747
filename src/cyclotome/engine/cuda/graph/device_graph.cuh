// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <limits>
#include <list>
#include <mutex>
#include <optional>

#include "cyclotome/engine/cuda/graph/program_graph.cuh"

namespace cyclotome::cuda {

/// A chain of kernels on a device.
class DeviceChain final : public KernelChain {
 public:
  explicit DeviceChain(int device);
  ~DeviceChain() override;
  DeviceChain(const DeviceChain&) = delete;
  DeviceChain& operator=(const DeviceChain&) = delete;

  void append(const KernelLaunch& launch, void** arguments) override;
  void set(std::size_t kernel, const KernelLaunch& launch, void** arguments) override;
  /// No kernel is appended any more, and `set` is allowed.
  void finish();
  void launch(cudaStream_t stream);

 private:
  cudaKernelNodeParams parameters(const KernelLaunch& launch, void** arguments) const;

  int device_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  std::vector<cudaGraphNode_t> nodes_;
};

/// A program as a graph of the device's, with its memory. Made, used and destroyed in the device's context.
class DeviceGraph {
 public:
  /// Scratch memory of one graph: what needs more is no small operation.
  static constexpr std::size_t max_bytes = std::size_t{128} << 20;

  /// Throws what says that it can't be had.
  DeviceGraph(const PreparedProgram& program, const ProgramCall& call, int device, const GraphContext& context,
              MemorySource memory);

  /// Whether one launch does what several would do.
  bool worth_it() const noexcept { return program_->kernels().size() > 1; }
  /// Queues the program for a call of as many items.
  void launch(const ProgramCall& call, cudaStream_t stream);
  /// What was launched has seeds of its own.
  void forget_seeds() { program_->forget_seeds(); }
  std::size_t bytes() const noexcept { return arena_.bytes(); }

 private:
  Arena arena_;
  DeviceChain chain_;
  std::optional<ProgramGraph> program_;
};

/// A program for one number of items on one stream: it runs plainly the first time; when it comes again it gets a
/// graph.
struct GraphSlot {
  std::size_t items;
  std::unique_ptr<DeviceGraph> graph{};
  std::uint64_t last_run = 0;
  std::uint64_t not_before = 0;  ///< the run at which a graph may be tried again
  std::uint64_t pause = 64;      ///< runs to the next try, twice as many each time
};

/// How much memory the graphs of an engine may hold together, and hold.
struct GraphBudget {
  std::size_t most;
  std::atomic<std::size_t> bytes{0};

  /// False, and nothing taken, if that were too much.
  bool take(std::size_t some) noexcept;
  void give_back(std::size_t some) noexcept { bytes.fetch_sub(some, std::memory_order_relaxed); }
};

/// The graphs of one stream, and which of them has to go first. Whoever works with slots holds the mutex.
class GraphStore {
 public:
  GraphStore(CUcontext context, GraphBudget& budget) : context_(context), budget_(budget) {}

  std::mutex mutex;
  /// Whether the slot may have a graph in this run.
  bool note_run(GraphSlot& slot) noexcept;
  /// No graph was to be had this time: memory was short, or the device refused it. Both pass.
  void put_off(GraphSlot& slot) noexcept;
  /// It is not worth a graph.
  static void give_up(GraphSlot& slot) noexcept { slot.not_before = std::numeric_limits<std::uint64_t>::max(); }
  /// Takes a graph in, for which others may have to go; false if those were used too lately.
  bool keep(GraphSlot& slot, std::unique_ptr<DeviceGraph> graph);
  void drop(GraphSlot& slot) noexcept;
  /// Frees all graphs, for others that need the memory. Takes the mutex.
  void drop_all() noexcept;

  static constexpr std::size_t max_graphs = 128;

 private:
  GraphSlot* oldest() const noexcept;

  CUcontext context_;
  GraphBudget& budget_;
  std::uint64_t runs_ = 0;
  std::list<GraphSlot*> slots_;  // with a graph
};

}  // namespace cyclotome::cuda
