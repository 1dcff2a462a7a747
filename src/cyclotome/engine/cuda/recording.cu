// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/launch.cuh"
#include "cyclotome/engine/cuda/recording.cuh"
#include "cyclotome/engine/cuda/secret_memory.cuh"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::cuda {

namespace {

thread_local Recording* current = nullptr;

}  // namespace

cudaKernelNodeParams RecordedKernel::parameters() {
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(launch.function);
  parameters.gridDim = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
  parameters.blockDim = dim3(launch.threads);
  parameters.sharedMemBytes = static_cast<unsigned>(launch.shared);
  parameters.kernelParams = arguments.pointers();
  return parameters;
}

Recording::Recording(const void* engine, const CompositeOperation& operation, CUcontext context, cudaStream_t stream,
                     std::size_t arena_limit)
    : engine_(engine), operation_(operation), arena_(std::make_shared<Arena>(memory_of(context, stream), arena_limit)) {
  check(cudaGraphCreate(&graph_, 0), "creation of a graph");
  outer_ = std::exchange(current, this);
}

Recording::~Recording() {
  current = outer_;
  if (graph_ != nullptr) succeeded(cudaGraphDestroy(graph_));
}

Recording* Recording::of(const void* engine) noexcept {
  Recording* recording = current;
  while (recording != nullptr && recording->engine_ != engine) recording = recording->outer_;
  return recording;
}

void Recording::refuse(const void* engine) {
  if (of(engine) != nullptr) throw NotRecordable{};
}

void Recording::note_pointer(RecordedKernel& kernel, std::size_t offset, Reach reach) const {
  const void* pointer = nullptr;
  std::memcpy(&pointer, kernel.arguments.at(offset), sizeof(pointer));
  if (pointer == nullptr) return;
  for (std::size_t i = 0; i < operation_.operands.size(); ++i) {
    const MemoryRange operand(operation_.operands[i]);
    if (!operand.contains(pointer)) continue;
    kernel.pointers.push_back({offset, i, static_cast<const std::byte*>(pointer) - operand.begin});
    return;
  }
  // Memory that the operation did not name would stay the same when it runs again.
  if (reach == Reach::residues && !arena_->contains(pointer)) throw NotRecordable{};
}

void Recording::note_seed(RecordedKernel& kernel, std::size_t offset) const {
  std::byte* const words = kernel.arguments.at(offset);
  std::vector<std::size_t> equal;
  for (std::size_t i = 0; i < operation_.seeds.size(); ++i) {
    auto seed = operation_.seeds[i]->words();
    if (std::memcmp(words, seed.data(), sizeof(seed)) == 0) equal.push_back(i);
    secure_zero(seed.data(), sizeof(seed));
  }
  secure_zero(words, seed_bytes);  // the graph never holds it but while it is launched
  if (equal.size() != 1) throw NotRecordable{};
  kernel.seeds.push_back({offset, equal[0]});
}

void Recording::add(RecordedKernel kernel) {
  if (kernel.launch.raise_shared_memory != nullptr) {
    int device = 0;
    check(cudaGetDevice(&device), kernel.launch.what);
    kernel.launch.raise_shared_memory(device, kernel.launch.shared, kernel.launch.what);
  }
  cudaKernelNodeParams parameters = kernel.parameters();
  check(cudaGraphAddKernelNode(&kernel.node, graph_, nullptr, 0, &parameters), kernel.launch.what);
  if (!kernels_.empty()) {
    cudaGraphEdgeData edge{};
    if (kernel.launch.early) {
      edge.from_port = cudaGraphKernelNodePortProgrammatic;
      edge.type = cudaGraphDependencyTypeProgrammatic;
    }
    check(cudaGraphAddDependencies(graph_, &kernels_.back().node, &kernel.node, &edge, 1), kernel.launch.what);
  }
  if (kernel.launch.cluster > 1) {
    cudaLaunchAttributeValue value{};
    value.clusterDim.x = kernel.launch.cluster;
    value.clusterDim.y = value.clusterDim.z = 1;
    check(cudaGraphKernelNodeSetAttribute(kernel.node, cudaLaunchAttributeClusterDimension, &value),
          kernel.launch.what);
  }
  kernels_.push_back(std::move(kernel));
}

void Recording::finish() {
  if (kernels_.size() < 2) throw NotRecordable{};        // a launch of its own is as quick
  if (!arena_->all_given_back()) throw NotRecordable{};  // somebody still looks at what would change under his hands
  SecretMemory::Pieces pieces{};
  std::size_t count = 0;
  const auto wipe = [&] {
    if (count > 0) SecretMemory::wipe(Queue(nullptr, 0, false, this), pieces, count);
    count = 0;
  };
  for (const Arena::Block& block : arena_->blocks()) {
    if (!block.secret) continue;
    pieces.data[count] = static_cast<uint4*>(block.data);
    pieces.words[count] = block.bytes / sizeof(uint4);
    if (++count == SecretMemory::max_pieces) wipe();
  }
  wipe();
}

}  // namespace cyclotome::cuda
