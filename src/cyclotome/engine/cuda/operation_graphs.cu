// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/operation_graphs.cuh"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::cuda {

OperationGraph::OperationGraph(Recording& recording)
    : graph_(std::exchange(recording.graph_, nullptr)),
      kernels_(std::move(recording.kernels_)),
      arena_(recording.arena_),
      kept_(std::move(recording.kept_)) {
  for (const ConstView& operand : recording.operation_.operands) addresses_.push_back(operand.data);
  if (const cudaError_t status = cudaGraphInstantiate(&executable_, graph_, 0); status != cudaSuccess) {
    succeeded(cudaGraphDestroy(graph_));
    check(status, "instantiation of a graph");
  }
}

OperationGraph::~OperationGraph() {
  try {
    forget_seeds();
  } catch (const EngineError&) {
    // They go with the graph.
  }
  succeeded(cudaGraphExecDestroy(executable_));  // one that is running goes when it is done
  succeeded(cudaGraphDestroy(graph_));
}

void OperationGraph::update(RecordedKernel& kernel) {
  const cudaKernelNodeParams parameters = kernel.parameters();
  check(cudaGraphExecKernelNodeSetParams(executable_, kernel.node, &parameters), kernel.launch.what);
}

void OperationGraph::launch(const CompositeOperation& operation, cudaStream_t stream) {
  holds_seeds_ = true;
  for (RecordedKernel& kernel : kernels_) {
    bool changed = !kernel.seeds.empty();
    for (const auto& pointer : kernel.pointers) {
      const void* const data = operation.operands[pointer.operand].data;
      if (data == addresses_[pointer.operand]) continue;
      const void* const moved = static_cast<const std::byte*>(data) + pointer.distance;
      std::memcpy(kernel.arguments.at(pointer.offset), &moved, sizeof(moved));
      changed = true;
    }
    for (const auto& words : kernel.seeds) {
      auto seed = operation.seeds[words.seed]->words();
      std::memcpy(kernel.arguments.at(words.offset), seed.data(), sizeof(seed));
      secure_zero(seed.data(), sizeof(seed));
    }
    if (changed) update(kernel);
  }
  for (std::size_t i = 0; i < addresses_.size(); ++i) addresses_[i] = operation.operands[i].data;
  check(cudaGraphLaunch(executable_, stream), "launch of a graph");
}

void OperationGraph::forget_seeds() {
  if (!std::exchange(holds_seeds_, false)) return;
  // Those of the arguments first: what puts them into the graph may fail.
  for (RecordedKernel& kernel : kernels_) {
    for (const auto& words : kernel.seeds) secure_zero(kernel.arguments.at(words.offset), seed_bytes);
  }
  for (RecordedKernel& kernel : kernels_) {
    if (!kernel.seeds.empty()) update(kernel);
  }
}

OperationGraphs::OperationGraphs(const void* engine, CUcontext context, std::size_t device_memory)
    : engine_(engine), context_(context), max_bytes_(std::max(device_memory / 32, max_operation_bytes)) {}

bool OperationGraphs::run(const CompositeOperation& operation, const std::function<void()>& work, cudaStream_t stream) {
  if (Recording::of(engine_) != nullptr) return false;  // within another operation: a part of it
  const auto key = OperationKey::of(operation);
  if (!key) return false;
  const std::lock_guard lock(mutex_);
  const InterruptPause pause;  // recording is quick; what is caught below must not be the end of all work
  auto found = entries_.find(*key);
  const bool first = found == entries_.end();
  if (first) {
    if (entries_.size() >= max_operations) drop(oldest(false));
    found = entries_.emplace(*key, Entry{}).first;
  }
  Entry& entry = found->second;
  entry.last_run = ++runs_;
  if (first || entry.never) return false;
  bool launched = false;
  try {
    if (entry.graph == nullptr) {
      auto graph = recorded(operation, work, stream);
      if (make_room(graph->bytes())) {
        bytes_ += graph->bytes();
        entry.graph = std::move(graph);
      }
    }
    if (entry.graph != nullptr) {
      entry.graph->launch(operation, stream);
      launched = true;
      entry.graph->forget_seeds();
      return true;
    }
  } catch (...) {
    // Whatever it was, running the operation plainly gets around it or says it better.
  }
  if (entry.graph != nullptr) {
    bytes_ -= entry.graph->bytes();
    entry.graph.reset();
  }
  entry.never = true;
  return launched;
}

std::unique_ptr<OperationGraph> OperationGraphs::recorded(const CompositeOperation& operation,
                                                          const std::function<void()>& work,
                                                          cudaStream_t stream) const {
  Recording recording(engine_, operation, context_, stream, max_operation_bytes);
  work();
  recording.finish();
  return std::make_unique<OperationGraph>(recording);
}

bool OperationGraphs::make_room(std::size_t bytes) {
  constexpr std::uint64_t lately = 512;  // runs: graphs that follow each other in a circle must not evict each other
  while (bytes_ + bytes > max_bytes_) {
    const auto entry = oldest(true);
    if (entry == entries_.end() || runs_ - entry->second.last_run < lately) return false;
    drop(entry);
  }
  return true;
}

OperationGraphs::Entries::iterator OperationGraphs::oldest(bool with_graph) {
  auto found = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (with_graph && entry->second.graph == nullptr) continue;
    if (found == entries_.end() || entry->second.last_run < found->second.last_run) found = entry;
  }
  return found;
}

void OperationGraphs::drop(Entries::iterator entry) {
  if (entry->second.graph != nullptr) bytes_ -= entry->second.graph->bytes();
  entries_.erase(entry);
}

void OperationGraphs::drop() noexcept {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  bytes_ = 0;
}

}  // namespace cyclotome::cuda
