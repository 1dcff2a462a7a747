// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <unordered_map>

#include "cyclotome/engine/cuda/launch.cuh"

namespace cyclotome::cuda {

/// A recorded operation, ready to be launched on other operands and seeds of the same shapes.
class OperationGraph {
 public:
  explicit OperationGraph(Recording& recording);
  ~OperationGraph();
  OperationGraph(const OperationGraph&) = delete;
  OperationGraph& operator=(const OperationGraph&) = delete;

  /// Queues all kernels. The graph holds the operation's seeds from here on until they are forgotten.
  void launch(const CompositeOperation& operation, cudaStream_t stream);
  /// Zeros in their place; what was launched has a copy of its own.
  void forget_seeds();
  std::size_t bytes() const noexcept { return arena_->bytes(); }

 private:
  /// Puts a kernel's changed arguments into the graph.
  void update(RecordedKernel& kernel);

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  std::vector<RecordedKernel> kernels_;
  std::vector<const void*> addresses_;  ///< of the operands, as the graph has them
  std::shared_ptr<Arena> arena_;
  std::vector<std::shared_ptr<const void>> kept_;
  bool holds_seeds_ = false;
};

/// The operations of one engine that were asked for more than once. The first time an operation just runs, the second
/// time it is recorded; from then on one launch does all of it. What is large, or can't be recorded, goes on to run as
/// it is. Thread-safe; all graphs run on the stream that they are given, one after the other.
class OperationGraphs {
 public:
  /// engine: as recordings know it; device_memory: bytes of the device, a part of which scratch memory may take.
  OperationGraphs(const void* engine, CUcontext context, std::size_t device_memory);

  /// True if the operation was queued; false if `work` is to be called as usual.
  bool run(const CompositeOperation& operation, const std::function<void()>& work, cudaStream_t stream);
  /// Frees everything, for others that need the memory.
  void drop() noexcept;

  static constexpr std::size_t max_operations = 128;
  /// Scratch memory of one operation: more than this is no small one.
  static constexpr std::size_t max_operation_bytes = std::size_t{128} << 20;

 private:
  struct Entry {
    std::unique_ptr<OperationGraph> graph;
    std::uint64_t last_run = 0;
    bool never = false;  ///< it is not to be recorded
  };
  struct Hash {
    std::size_t operator()(const OperationKey& key) const noexcept { return key.hash(); }
  };
  using Entries = std::unordered_map<OperationKey, Entry, Hash>;

  std::unique_ptr<OperationGraph> recorded(const CompositeOperation& operation, const std::function<void()>& work,
                                           cudaStream_t stream) const;
  /// Makes room for `bytes` more; false if what is there was used too lately.
  bool make_room(std::size_t bytes);
  void drop(Entries::iterator entry);
  Entries::iterator oldest(bool with_graph);

  const void* engine_;
  CUcontext context_;
  std::size_t max_bytes_, bytes_ = 0;
  std::mutex mutex_;
  std::uint64_t runs_ = 0;
  Entries entries_;
};

}  // namespace cyclotome::cuda
