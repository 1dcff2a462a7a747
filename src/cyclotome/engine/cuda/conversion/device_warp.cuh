// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/transform/quad.hpp"

namespace cyclotome::cuda {

/// A warp's lanes, each a thread; fragments as mma.m16n8k32 has them.
struct DeviceWarp {
  template <class T, unsigned N>
  struct Array {
    T value[N];
    __device__ __forceinline__ T* operator()(unsigned) { return value; }
    __device__ __forceinline__ const T* operator()(unsigned) const { return value; }
  };
  template <unsigned N>
  using Registers = Array<std::uint32_t, N>;
  template <unsigned N>
  using Quads = Array<Quad, N>;

  template <class Body>
  __device__ __forceinline__ static void each(const Body& body) {
    body(threadIdx.x % 32);
  }
  __device__ __forceinline__ static std::uint32_t constant(const std::uint32_t* source) { return __ldg(source); }
  __device__ __forceinline__ static Quad constant(const Quad* source) {
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(source));
    return {{words.x, words.y, words.z, words.w}};
  }
  __device__ __forceinline__ static void together() { __syncwarp(); }
  /// Each lane's values become the sums of those of its four neighbours, lanes 4 k ... 4 k + 3.
  template <unsigned N>
  __device__ __forceinline__ static void sum_fours(Array<std::int64_t, N>& x) {
#pragma unroll
    for (unsigned i = 0; i < N; ++i) {
      x.value[i] += __shfl_xor_sync(0xffffffff, x.value[i], 1);
      x.value[i] += __shfl_xor_sync(0xffffffff, x.value[i], 2);
    }
  }
  /// Whether any lane's is not 0.
  __device__ __forceinline__ static bool any(const Registers<1>& x) { return __any_sync(0xffffffff, x.value[0] != 0); }
  __device__ __forceinline__ static void clear(Registers<4>& s) {
    s.value[0] = s.value[1] = s.value[2] = s.value[3] = 0;
  }
  template <class Matrix, class Vectors>
  __device__ __forceinline__ static void multiply(Registers<4>& s, const Matrix& m, const Vectors& v) {
    const unsigned lane = threadIdx.x % 32;
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(s.value[0]), "+r"(s.value[1]), "+r"(s.value[2]), "+r"(s.value[3])
        : "r"(m(lane, 0)), "r"(m(lane, 1)), "r"(m(lane, 2)), "r"(m(lane, 3)), "r"(v(lane, 0)), "r"(v(lane, 1)));
  }
};

}  // namespace cyclotome::cuda
