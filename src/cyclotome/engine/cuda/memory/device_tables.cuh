// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "cyclotome/engine/cuda/memory/device_view.cuh"

namespace cyclotome::cuda {

/// Constants on the device, freed with this object; whoever frees it waits for the kernels that read them.
class DeviceTables {
 public:
  /// A copy of `host` on the device, complete when the call returns.
  template <class T>
  const T* put(const std::vector<T>& host, cudaStream_t stream) {
    void* data = nullptr;
    check(cudaMalloc(&data, std::max<std::size_t>(host.size(), 1) * sizeof(T)), "allocation of constants");
    blocks_.emplace_back(data);
    check(cudaMemcpyAsync(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
          "copy of constants");
    check(cudaStreamSynchronize(stream), "copy of constants");
    return static_cast<const T*>(data);
  }

 private:
  struct Free {
    void operator()(void* data) const { succeeded(cudaFree(data)); }
  };
  std::vector<std::unique_ptr<void, Free>> blocks_;
};

/// Of a grid along y and z.
inline constexpr std::size_t max_items = 65535;

/// Calls `body` with first item and count of pieces of a batch of `parts` parts.
template <class Body>
void for_pieces(std::size_t batch, std::size_t parts, const Body& body) {
  const std::size_t piece = std::max<std::size_t>(1, max_items / parts);
  for (std::size_t first = 0; first < batch; first += piece) body(first, std::min(piece, batch - first));
}

}  // namespace cyclotome::cuda
