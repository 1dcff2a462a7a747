// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"

namespace cyclotome::cuda {

/// Where memory comes from, and goes back to.
struct MemorySource {
  std::function<void*(std::size_t bytes)> allocate;                         ///< throws EngineError
  std::function<void(void* data, std::size_t bytes, bool secret)> release;  ///< secret: it held secrets
};

/// A pool, in a stream's order. What held secrets is zeroised before it is freed.
MemorySource memory_of(CUcontext context, cudaMemPool_t pool, cudaStream_t stream);

/// Memory of one graph, released with this object. Its kernels run one after the other, so what is given back may be
/// taken again by a later one. Not thread-safe.
class Arena {
 public:
  struct Block {
    void* data;
    std::size_t bytes;
    bool in_use, secret;  ///< secret: has held secrets
  };

  /// limit: bytes at most.
  Arena(MemorySource source, std::size_t limit) : source_(std::move(source)), limit_(limit) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Number of a block of at least `bytes`. Throws EngineError beyond the limit and without memory.
  std::size_t take(std::size_t bytes, bool secret);
  void give_back(std::size_t block) noexcept { blocks_[block].in_use = false; }

  const std::vector<Block>& blocks() const noexcept { return blocks_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  MemorySource source_;
  std::size_t limit_, bytes_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace cyclotome::cuda
