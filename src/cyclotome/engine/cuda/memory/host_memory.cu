// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/engine/cuda/memory/host_memory.cuh"

namespace cyclotome::cuda {

HostMemory::~HostMemory() {
  for (std::uint64_t* const piece : all_) succeeded(cudaFreeHost(piece));
}

std::uint64_t* HostMemory::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    all_.reserve(all_.size() + 1);
    free_.reserve(all_.size() + 1);
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, words * sizeof(std::uint64_t), cudaHostAllocMapped), "allocation of pinned memory");
    all_.push_back(static_cast<std::uint64_t*>(memory));
    std::fill_n(all_.back(), words, unwritten);
    free_.push_back(all_.back());
  }
  std::uint64_t* const piece = free_.back();
  free_.pop_back();
  return piece;
}

void HostMemory::give_back(std::uint64_t* piece) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(piece);  // there is room for all
}

}  // namespace cyclotome::cuda
