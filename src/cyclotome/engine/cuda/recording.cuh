// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cyclotome/engine/cuda/arena.cuh"
#include "cyclotome/engine/cuda/arguments.cuh"
#include "cyclotome/engine/operation.hpp"

namespace cyclotome::cuda {

/// Thrown by what can't be part of a recorded operation; never leaves the engine, which then just runs it.
struct NotRecordable {};

/// How a kernel is launched.
struct KernelLaunch {
  const void* function;
  dim3 grid;
  unsigned threads;
  std::size_t shared;
  unsigned cluster;
  bool early;  ///< while the kernel before still runs
  const char* what;
};

/// A kernel of a graph, and where in its arguments operands and seeds stand.
struct RecordedKernel {
  cudaGraphNode_t node = nullptr;
  KernelLaunch launch{};
  PackedArguments arguments;
  struct Pointer {
    std::size_t offset, operand;
    std::ptrdiff_t distance;  ///< from the operand's first residue
  };
  std::vector<Pointer> pointers;
  struct SeedWords {
    std::size_t offset, seed;
  };
  std::vector<SeedWords> seeds;

  /// Valid as long as the arguments are.
  cudaKernelNodeParams parameters();
};

/// What an operation asks for, noted down as a graph of kernels instead of being run. While a thread has one, the
/// verbs that it calls on the engine go there (launch.cuh), and its memory is the recording's arena. Constants are
/// uploaded at once all the same, and stay as long as the graph.
class Recording {
 public:
  /// engine: whose verbs; any address of its own. The calling thread records until this object goes.
  Recording(const void* engine, const CompositeOperation& operation, CUcontext context, cudaStream_t stream,
            std::size_t arena_limit);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The recording of the calling thread for this engine, or null.
  static Recording* of(const void* engine) noexcept;
  /// Throws NotRecordable if there is one: before what can't be recorded.
  static void refuse(const void* engine);

  template <class... Parameters>
  void add(const KernelLaunch& launch, const Parameters&... arguments) {
    RecordedKernel kernel;
    kernel.launch = launch;
    (pack(kernel, arguments), ...);
    add(std::move(kernel));
  }
  /// Wipes all memory that held secrets, as the last thing of the operation. Throws NotRecordable if it kept memory, or
  /// is too small to gain by it.
  void finish();
  void keep(const std::shared_ptr<const void>& constants) { kept_.push_back(constants); }
  const std::shared_ptr<Arena>& arena() const noexcept { return arena_; }

 private:
  friend class OperationGraph;

  template <class T>
  void pack(RecordedKernel& kernel, const T& argument) {
    const std::size_t first = kernel.arguments.append(argument);
    const auto offset = [&](const void* place) {
      return first + static_cast<std::size_t>(static_cast<const std::byte*>(place) -
                                              reinterpret_cast<const std::byte*>(&argument));
    };
    visit_pointers(argument, [&](const void* place, Reach reach) { note_pointer(kernel, offset(place), reach); });
    visit_seeds(argument, [&](const void* words) { note_seed(kernel, offset(words)); });
  }
  void note_pointer(RecordedKernel& kernel, std::size_t offset, Reach reach) const;
  void note_seed(RecordedKernel& kernel, std::size_t offset) const;
  void add(RecordedKernel kernel);

  const void* engine_;
  Recording* outer_ = nullptr;  ///< of another engine, that the thread goes back to
  const CompositeOperation& operation_;
  cudaGraph_t graph_ = nullptr;
  std::vector<RecordedKernel> kernels_;
  std::shared_ptr<Arena> arena_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace cyclotome::cuda
