// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/device_view.cuh"
#include "cyclotome/ring/transform_tables.hpp"

// Negacyclic transforms: stages whose groups exceed a block's shared memory run one after another over global memory,
// the rest in one launch in shared memory. Values are as on the CPU: [0, 4q) between forward stages, [0, 2q) between
// inverse ones.
namespace cyclotome::cuda {

/// A limb's tables on the device.
template <class W>
struct LimbTables {
  const W *roots, *root_quotients, *inverse_roots, *inverse_root_quotients;
  ShoupFactor<W> inverse_degree, last_inverse_root;
  Modulus<W> modulus;
};

template <class W>
struct RingTables {
  LimbTables<W> limb[max_limbs];
};

/// Values that a block transforms in shared memory: 2^12 of 64 bits or 2^13 of 32 bits, 32 KB.
template <class W>
inline constexpr std::uint32_t shared_values = 32768 / sizeof(W);

template <class W>
__device__ inline ShoupFactor<W> factor(const W* operands, const W* quotients, std::uint32_t i) {
  ShoupFactor<W> w;
  w.operand = operands[i];
  w.quotient = quotients[i];
  return w;
}

template <class W>
__device__ inline void forward_butterfly(W& x, W& y, ShoupFactor<W> w, W q) {
  const W two_q = 2 * q;
  const W reduced = x >= two_q ? x - two_q : x;
  const W product = w.multiply_lazy(y, q);
  x = reduced + product;
  y = reduced + two_q - product;
}

template <class W>
__device__ inline void inverse_butterfly(W& x, W& y, ShoupFactor<W> w, W q) {
  const W two_q = 2 * q;
  const W sum = x + y, difference = x + two_q - y;
  x = sum >= two_q ? sum - two_q : sum;
  y = w.multiply_lazy(difference, q);
}

/// One stage with `groups` groups over global memory. Grid: (n/2 butterflies, limbs, items).
template <class W>
__global__ void forward_stage(DeviceView<W> a, const RingTables<W>* tables, std::uint32_t groups) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = a.degree, gap = n / (2 * groups);
  if (i >= n / 2) return;
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
  W* const x = a.limb(blockIdx.z, blockIdx.y) + j;
  forward_butterfly(x[0], x[gap], factor(t.roots, t.root_quotients, groups + group), t.modulus.value());
}

/// All stages from `groups` groups on, each block a chunk of n/groups values in shared memory; ends in [0, q).
/// Grid: (groups, limbs, items).
template <class W>
__global__ void forward_tail(DeviceView<W> a, const RingTables<W>* tables, std::uint32_t first_groups) {
  extern __shared__ unsigned char memory[];
  W* const chunk = reinterpret_cast<W*>(memory);
  const std::uint32_t size = a.degree / first_groups;
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  const W q = t.modulus.value(), two_q = 2 * q;
  W* const x = a.limb(blockIdx.z, blockIdx.y) + static_cast<std::size_t>(blockIdx.x) * size;
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) chunk[i] = x[i];
  __syncthreads();
  for (std::uint32_t groups = first_groups, gap = size / 2; gap >= 1; groups *= 2, gap /= 2) {
    const std::uint32_t first = groups + blockIdx.x * (groups / first_groups);
    for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
      const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
      forward_butterfly(chunk[j], chunk[j + gap], factor(t.roots, t.root_quotients, first + group), q);
    }
    __syncthreads();
  }
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
    W value = chunk[i];
    if (value >= two_q) value -= two_q;
    x[i] = value >= q ? value - q : value;
  }
}

/// The stages down to `last_groups` groups in shared memory; scaled if that is 1. Grid: (last_groups, limbs, items).
template <class W>
__global__ void inverse_head(DeviceView<W> a, const RingTables<W>* tables, std::uint32_t last_groups) {
  extern __shared__ unsigned char memory[];
  W* const chunk = reinterpret_cast<W*>(memory);
  const std::uint32_t size = a.degree / last_groups;
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  const W q = t.modulus.value(), two_q = 2 * q;
  W* const x = a.limb(blockIdx.z, blockIdx.y) + static_cast<std::size_t>(blockIdx.x) * size;
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) chunk[i] = x[i];
  __syncthreads();
  // The stage with one group is the transform's last and carries 1/n.
  const std::uint32_t last_gap = last_groups == 1 ? size / 4 : size / 2;
  for (std::uint32_t groups = a.degree / 2, gap = 1; gap <= last_gap; groups /= 2, gap *= 2) {
    const std::uint32_t first = groups + blockIdx.x * (groups / last_groups);
    for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
      const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
      inverse_butterfly(chunk[j], chunk[j + gap], factor(t.inverse_roots, t.inverse_root_quotients, first + group), q);
    }
    __syncthreads();
  }
  if (last_groups == 1) {
    for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
      const W u = chunk[i], v = chunk[i + size / 2];
      x[i] = t.inverse_degree.multiply(u + v, q);
      x[i + size / 2] = t.last_inverse_root.multiply(u + two_q - v, q);
    }
    return;
  }
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) x[i] = chunk[i];
}

/// One stage with `groups` groups over global memory; the one with a single group scales and ends in [0, q).
template <class W>
__global__ void inverse_stage(DeviceView<W> a, const RingTables<W>* tables, std::uint32_t groups) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = a.degree, gap = n / (2 * groups);
  if (i >= n / 2) return;
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  const W q = t.modulus.value();
  const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
  W* const x = a.limb(blockIdx.z, blockIdx.y) + j;
  if (groups == 1) {
    const W u = x[0], v = x[gap];
    x[0] = t.inverse_degree.multiply(u + v, q);
    x[gap] = t.last_inverse_root.multiply(u + 2 * q - v, q);
  } else {
    inverse_butterfly(x[0], x[gap], factor(t.inverse_roots, t.inverse_root_quotients, groups + group), q);
  }
}

}  // namespace cyclotome::cuda
