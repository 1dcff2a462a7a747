// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/memory/arena.cuh"
#include "cyclotome/engine/cuda/memory/memory_pool.cuh"
#include "cyclotome/engine/cuda/memory/secret_memory.cuh"

namespace cyclotome::cuda {

MemorySource memory_of(CUcontext context, cudaMemPool_t pool, cudaStream_t stream) {
  const auto allocate = [pool, stream](std::size_t bytes) {
    return cuda::allocate(pool, bytes, stream, "allocation for a graph");
  };
  const auto release = [context, stream](void* data, std::size_t bytes, bool secret) {
    const DeviceScope scope(context, std::nothrow);
    if (secret) {
      // Graphs end with zeros here, but for those that could not be launched.
      wipe_and_free(data, bytes, stream);
    } else {
      succeeded(cudaFreeAsync(data, stream));
    }
  };
  return {allocate, release};
}

Arena::~Arena() {
  for (const Block& block : blocks_) source_.release(block.data, block.bytes, block.secret);
}

std::size_t Arena::take(std::size_t bytes, bool secret) {
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const bool fits = !block.in_use && block.bytes >= bytes;
    if (fits && (best == nullptr || block.bytes < best->bytes)) best = &block;
  }
  if (best == nullptr) {
    constexpr std::size_t unit = 256;
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
    if (rounded > limit_ - bytes_) throw EngineError(message("CUDA: a graph may have ", limit_, " bytes of memory"));
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({source_.allocate(rounded), rounded, false, false});
    bytes_ += rounded;
    best = &blocks_.back();
  }
  best->in_use = true;
  best->secret = best->secret || secret;
  return static_cast<std::size_t>(best - blocks_.data());
}

}  // namespace cyclotome::cuda
