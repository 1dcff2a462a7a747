// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/graph/launches_wait.hpp"

namespace cyclotome::cuda {

bool launches_wait() noexcept {
  static const bool wait = [] {
    const char* const text = std::getenv("CYCLOTOME_CUDA_SYNCHRONOUS");
    return text != nullptr && *text != 0;
  }();
  return wait;
}

void StreamLauncher::launch(const KernelLaunch& kernel, std::span<const Argument> arguments) {
  if (kernel.raise_shared_memory != nullptr) kernel.raise_shared_memory(device_, kernel.shared, kernel.what);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kernel.grid[0], kernel.grid[1], kernel.grid[2]);
  config.blockDim = dim3(kernel.threads);
  config.dynamicSmemBytes = kernel.shared;
  config.stream = stream_;
  cudaLaunchAttribute attribute{};
  if (kernel.cluster > 1) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = kernel.cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  std::array<void*, max_arguments> pointers;
  for (std::size_t i = 0; i < arguments.size(); ++i) pointers[i] = const_cast<void*>(arguments[i].data);
  check(cudaLaunchKernelExC(&config, kernel.function, pointers.data()), kernel.what);
  if (launches_wait()) check(cudaStreamSynchronize(stream_), kernel.what);
}

}  // namespace cyclotome::cuda
