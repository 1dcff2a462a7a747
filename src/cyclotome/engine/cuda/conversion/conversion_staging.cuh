// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_pipeline_primitives.h>

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/memory/device_view.cuh"

// How the kernels of base conversions bring constants and limbs to shared memory: all of them at once, so that a
// thread waits for memory once.
namespace cyclotome::cuda {

/// A kernel's shared memory, handed out from its front.
class SharedMemory {
 public:
  __device__ explicit SharedMemory(uint4* memory) : next_(reinterpret_cast<unsigned char*>(memory)) {}
  template <class T>
  __device__ T* take(std::uint32_t count) {
    T* const result = reinterpret_cast<T*>(next_);
    next_ += (count * sizeof(T) + 15) / 16 * 16;
    return result;
  }

 private:
  unsigned char* next_;
};

/// Starts to copy a conversion's constants to shared memory, if V says so, and returns where they will be.
template <class V, class W>
__device__ __forceinline__ ColumnConversion<W> stage(const ColumnConversion<W>& t, SharedMemory& memory) {
  if constexpr (!V::staged) return t;
  const std::uint32_t quads = t.constant_bytes() / 16;
  auto* const to = memory.take<uint4>(quads);
  const auto* const from = reinterpret_cast<const uint4*>(t.source);
  for (std::uint32_t i = threadIdx.x; i < quads; i += V::threads) __pipeline_memcpy_async(to + i, from + i, 16);
  ColumnConversion<W> staged = t;
  staged.source = reinterpret_cast<const SourceConstants<W>*>(to);
  staged.target = reinterpret_cast<const TargetConstants<W>*>(staged.source + t.sources);
  staged.matrix = reinterpret_cast<const TermTile<W>*>(staged.target + t.targets);
  return staged;
}

/// This thread's columns of `count` limbs in shared memory.
template <class V, class W>
__device__ __forceinline__ Columns<W, V::bytes>* take_columns(SharedMemory& memory, std::uint32_t count) {
  return memory.take<Columns<W, V::bytes>>(count * V::threads) + threadIdx.x;
}

/// Starts to copy the columns at `from` and those of the limbs after it to y.
template <class V, class W>
__device__ __forceinline__ void fetch(Columns<W, V::bytes>* y, const W* from, std::uint32_t degree,
                                      std::uint32_t count) {
#pragma unroll 4
  for (std::uint32_t i = 0; i < count; ++i) {
    __pipeline_memcpy_async(y + i * V::threads, from + std::size_t{i} * degree, V::bytes);
  }
}

/// Everything whose copy was started has arrived, for the whole block.
__device__ __forceinline__ void arrive() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/// Which item of views with equal numbers of parts a block works on, and where it begins.
struct Item {
  std::uint32_t batch, part;

  __device__ Item(std::uint32_t item, std::uint32_t parts) : batch(item / parts), part(item % parts) {}
  template <class W>
  __device__ W* in(const DeviceView<W>& view) const {
    return view.data + batch * view.batch_stride + part * view.part_stride;
  }
};

template <unsigned Bytes, class W>
__device__ __forceinline__ void store_columns(W* limbs, std::uint32_t degree, std::uint32_t l,
                                              const Columns<W, Bytes>& value) {
  *columns<Bytes>(limbs + std::size_t{l} * degree, 0) = value;
}

}  // namespace cyclotome::cuda
