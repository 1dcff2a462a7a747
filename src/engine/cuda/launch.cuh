// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "cyclotome/engine/cuda/device_view.cuh"

namespace cyclotome::cuda {

/// Shared memory that a block may have on devices of compute capability 9.0.
inline constexpr std::size_t max_shared_bytes = 227 * 1024;

/// Where a launch goes.
struct Queue {
  cudaStream_t stream;
  int device;
  bool one_pass;  ///< whether kernels that hold whole limbs may be used: compute capability 9.0, and not forbidden
};

/// Launches `Kernel` in clusters of `cluster` blocks along x, with `shared` bytes of dynamic shared memory.
template <auto Kernel, class... Arguments>
void launch(const Queue& queue, dim3 grid, unsigned threads, std::size_t shared, unsigned cluster, const char* what,
            Arguments... arguments) {
  if (shared > 48 * 1024) {
    // The limit is a property of the kernel on a device, and only ever raised: launches differ in what they need.
    static std::array<std::atomic<std::size_t>, 64> limits{};
    static std::mutex raising;
    std::atomic<std::size_t>& limit = limits[queue.device & 63];
    if (limit.load(std::memory_order_acquire) < shared) {
      const std::lock_guard lock(raising);
      if (limit.load(std::memory_order_relaxed) < shared) {
        check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
              what);
        limit.store(shared, std::memory_order_release);
      }
    }
  }
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = queue.stream;
  cudaLaunchAttribute attribute{};
  if (cluster > 1) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  check(cudaLaunchKernelEx(&config, Kernel, arguments...), what);
}

}  // namespace cyclotome::cuda
