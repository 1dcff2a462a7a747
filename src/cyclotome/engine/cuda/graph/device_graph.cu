// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/graph/device_graph.cuh"

namespace cyclotome::cuda {

DeviceChain::DeviceChain(int device) : device_(device) { check(cudaGraphCreate(&graph_, 0), "creation of a graph"); }

DeviceChain::~DeviceChain() {
  if (executable_ != nullptr) succeeded(cudaGraphExecDestroy(executable_));  // one that is running goes when it is done
  succeeded(cudaGraphDestroy(graph_));
}

cudaKernelNodeParams DeviceChain::parameters(const KernelLaunch& launch, void** arguments) const {
  if (launch.raise_shared_memory != nullptr) launch.raise_shared_memory(device_, launch.shared, launch.what);
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(launch.function);
  parameters.gridDim = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
  parameters.blockDim = dim3(launch.threads);
  parameters.sharedMemBytes = static_cast<unsigned>(launch.shared);
  parameters.kernelParams = arguments;
  return parameters;
}

void DeviceChain::append(const KernelLaunch& launch, void** arguments) {
  const cudaKernelNodeParams made = parameters(launch, arguments);
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &made), launch.what);
  if (!nodes_.empty()) {
    cudaGraphEdgeData edge{};
    if (launch.early) {
      edge.from_port = cudaGraphKernelNodePortProgrammatic;
      edge.type = cudaGraphDependencyTypeProgrammatic;
    }
    check(cudaGraphAddDependencies(graph_, &nodes_.back(), &node, &edge, 1), launch.what);
  }
  if (launch.cluster > 1) {
    cudaLaunchAttributeValue value{};
    value.clusterDim.x = launch.cluster;
    value.clusterDim.y = value.clusterDim.z = 1;
    check(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value), launch.what);
  }
  nodes_.push_back(node);
}

void DeviceChain::set(std::size_t kernel, const KernelLaunch& launch, void** arguments) {
  const cudaKernelNodeParams changed = parameters(launch, arguments);
  check(cudaGraphExecKernelNodeSetParams(executable_, nodes_[kernel], &changed), launch.what);
}

void DeviceChain::finish() { check(cudaGraphInstantiate(&executable_, graph_, 0), "instantiation of a graph"); }

void DeviceChain::launch(cudaStream_t stream) { check(cudaGraphLaunch(executable_, stream), "launch of a graph"); }

DeviceGraph::DeviceGraph(const PreparedProgram& program, const ProgramCall& call, int device,
                         const GraphContext& context, MemorySource memory)
    : arena_(std::move(memory), max_bytes), chain_(device) {
  program_.emplace(program, chain_, arena_, context, call);
  chain_.finish();
}

void DeviceGraph::launch(const ProgramCall& call, cudaStream_t stream) {
  program_->update(call);
  chain_.launch(stream);
}

bool GraphBudget::take(std::size_t some) noexcept {
  std::size_t held = bytes.load(std::memory_order_relaxed);
  while (held + some <= most) {
    if (bytes.compare_exchange_weak(held, held + some, std::memory_order_relaxed)) return true;
  }
  return false;
}

bool GraphStore::note_run(GraphSlot& slot) noexcept {
  const bool first = slot.last_run == 0;
  slot.last_run = ++runs_;
  return !first && runs_ >= slot.not_before;
}

void GraphStore::put_off(GraphSlot& slot) noexcept {
  constexpr std::uint64_t longest = std::uint64_t{1} << 16;
  slot.not_before = runs_ + slot.pause;
  slot.pause = std::min(2 * slot.pause, longest);
}

bool GraphStore::keep(GraphSlot& slot, std::unique_ptr<DeviceGraph> graph) {
  constexpr std::uint64_t lately = 512;  // runs: graphs that follow each other in a circle must not evict each other
  while (slots_.size() >= max_graphs || !budget_.take(graph->bytes())) {
    GraphSlot* const first = oldest();
    if (first == nullptr || (slots_.size() < max_graphs && runs_ - first->last_run < lately)) return false;
    drop(*first);
  }
  slots_.push_back(&slot);
  slot.graph = std::move(graph);
  return true;
}

void GraphStore::drop(GraphSlot& slot) noexcept {
  if (slot.graph == nullptr) return;
  const DeviceScope scope(context_, std::nothrow);
  budget_.give_back(slot.graph->bytes());
  slots_.remove(&slot);
  slot.graph.reset();
}

void GraphStore::drop_all() noexcept {
  const std::lock_guard lock(mutex);
  while (!slots_.empty()) drop(*slots_.front());
}

GraphSlot* GraphStore::oldest() const noexcept {
  const auto found = std::ranges::min_element(slots_, {}, [](const GraphSlot* slot) { return slot->last_run; });
  return found == slots_.end() ? nullptr : *found;
}

}  // namespace cyclotome::cuda
