// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "cyclotome/engine/cuda/graph/early_start.cuh"
#include "cyclotome/engine/engine.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::cuda {

/// Whether a call went well, for those who go on either way. An error of this call's is not left for the host
/// application to find; no other error may be taken away from it.
inline bool succeeded(cudaError_t status) noexcept {
  if (status == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

/// Throws EngineError with the call's name if `status` is an error.
inline void check(cudaError_t status, const char* what) {
  if (succeeded(status)) return;
  throw EngineError(message("CUDA: ", what, " failed: ", cudaGetErrorString(status),
                            status == cudaErrorMemoryAllocation ? "; work on smaller batches, or free arrays" : ""));
}

inline constexpr std::size_t max_limbs = 256;

/// A view for kernels: item z = batch * parts + part; strides are 0 where an operand is broadcast.
template <class W>
struct DeviceView {
  W* data;
  std::size_t batch_stride, part_stride;
  std::uint32_t parts, degree;

  __device__ W* limb(std::uint32_t item, std::uint32_t l) const {
    // Nearly always items lie one after another: then no division stands before a kernel's first loads.
    if (parts == 1 || batch_stride == parts * part_stride) {
      return data + item * (parts == 1 ? batch_stride : part_stride) + static_cast<std::size_t>(l) * degree;
    }
    return limb(item / parts, item % parts, l);
  }
  __device__ W* limb(std::uint32_t batch, std::uint32_t part, std::uint32_t l) const {
    return data + batch * batch_stride + part * part_stride + static_cast<std::size_t>(l) * degree;
  }
};

/// `view` as an operand of a result with `parts` parts.
template <class W, bool IsConst>
DeviceView<W> device_view(BasicView<IsConst> view, std::size_t parts) {
  return {static_cast<W*>(const_cast<void*>(static_cast<const void*>(view.data))),
          view.batch == 1 ? 0 : view.batch_stride, view.parts == 1 ? 0 : view.part_stride,
          static_cast<std::uint32_t>(parts), static_cast<std::uint32_t>(view.degree())};
}

}  // namespace cyclotome::cuda
