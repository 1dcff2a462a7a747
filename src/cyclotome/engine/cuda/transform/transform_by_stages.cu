// SPDX-License-Identifier: Apache-2.0
// Transforms of any length on any device: stages whose groups exceed a block's shared memory run one after another over
// global memory, the rest in one launch in shared memory.
#include <algorithm>

#include "cyclotome/engine/cuda/integer_arithmetic.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"

namespace cyclotome::cuda {

namespace {

/// Values that a block transforms in shared memory: 2^12 of 64 bits or 2^13 of 32 bits, 32 KB.
template <class W>
constexpr std::uint32_t shared_values = 32768 / sizeof(W);

/// One stage with `groups` groups over global memory. Grid: (n/2 butterflies, limbs, items).
template <class W>
__global__ void forward_stage(DeviceView<W> a, const RingTables<W>* tables, std::uint32_t groups) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = a.degree, gap = n / (2 * groups);
  if (i >= n / 2) return;
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
  W* const x = a.limb(blockIdx.z, blockIdx.y) + j;
  const IntegerArithmetic<W> m(t);
  m.forward_butterfly(x[0], x[gap], m.factor(t.roots[groups + group]));
}

/// All stages from `groups` groups on, each block a chunk of n/groups values in shared memory; ends in [0, q).
/// Grid: (groups, limbs, items).
template <class W>
__global__ void forward_tail(DeviceView<W> a, const RingTables<W>* tables, std::uint32_t first_groups) {
  extern __shared__ uint4 memory[];
  W* const chunk = reinterpret_cast<W*>(memory);
  const std::uint32_t size = a.degree / first_groups;
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  const IntegerArithmetic<W> m(t);
  W* const x = a.limb(blockIdx.z, blockIdx.y) + static_cast<std::size_t>(blockIdx.x) * size;
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) chunk[i] = x[i];
  __syncthreads();
  for (std::uint32_t groups = first_groups, gap = size / 2; gap >= 1; groups *= 2, gap /= 2) {
    const std::uint32_t first = groups + blockIdx.x * (groups / first_groups);
    for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
      const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
      m.forward_butterfly(chunk[j], chunk[j + gap], m.factor(t.roots[first + group]));
    }
    __syncthreads();
  }
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) x[i] = m.canonical(chunk[i]);
}

/// The stages down to `last_groups` groups in shared memory; scaled if that is 1. Grid: (last_groups, limbs, items).
template <class W>
__global__ void inverse_head(DeviceView<W> a, const RingTables<W>* tables, std::uint32_t last_groups) {
  extern __shared__ uint4 memory[];
  W* const chunk = reinterpret_cast<W*>(memory);
  const std::uint32_t size = a.degree / last_groups;
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  const IntegerArithmetic<W> m(t);
  W* const x = a.limb(blockIdx.z, blockIdx.y) + static_cast<std::size_t>(blockIdx.x) * size;
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) chunk[i] = x[i];
  __syncthreads();
  // The stage with one group is the transform's last and carries 1/n.
  const std::uint32_t last_gap = last_groups == 1 ? size / 4 : size / 2;
  for (std::uint32_t groups = a.degree / 2, gap = 1; gap <= last_gap; groups /= 2, gap *= 2) {
    const std::uint32_t first = groups + blockIdx.x * (groups / last_groups);
    for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
      const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
      m.inverse_butterfly(chunk[j], chunk[j + gap], m.factor(t.inverse_roots[first + group]));
    }
    __syncthreads();
  }
  if (last_groups == 1) {
    for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
      W u = chunk[i], v = chunk[i + size / 2];
      m.template last_inverse_butterfly<false>(u, v, t);
      x[i] = u;
      x[i + size / 2] = v;
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
  const IntegerArithmetic<W> m(t);
  const std::uint32_t group = i / gap, j = 2 * group * gap + i % gap;
  W* const x = a.limb(blockIdx.z, blockIdx.y) + j;
  if (groups == 1) {
    m.template last_inverse_butterfly<false>(x[0], x[gap], t);
  } else {
    m.inverse_butterfly(x[0], x[gap], m.factor(t.inverse_roots[groups + group]));
  }
}

constexpr unsigned stage_threads = 256;

dim3 stage_grid(std::uint32_t degree, unsigned limbs, unsigned items) {
  return dim3((degree / 2 + stage_threads - 1) / stage_threads, limbs, items);
}

unsigned chunk_threads(std::uint32_t size) { return std::clamp(size / 8, 32u, 512u); }

}  // namespace

template <class W>
void forward_by_stages(const Queue& queue, DeviceView<W> a, unsigned limbs, unsigned items,
                       const RingTables<W>* tables) {
  std::uint32_t groups = 1;
  for (; a.degree / groups > shared_values<W>; groups *= 2) {
    launch<forward_stage<W>>(queue, stage_grid(a.degree, limbs, items), stage_threads, 0, 1, "transform", a, tables,
                             groups);
  }
  const std::uint32_t size = a.degree / groups;
  launch<forward_tail<W>>(queue, dim3(groups, limbs, items), chunk_threads(size), size * sizeof(W), 1, "transform", a,
                          tables, groups);
}

template <class W>
void inverse_by_stages(const Queue& queue, DeviceView<W> a, unsigned limbs, unsigned items,
                       const RingTables<W>* tables) {
  std::uint32_t groups = 1;
  while (a.degree / groups > shared_values<W>) groups *= 2;
  const std::uint32_t size = a.degree / groups;
  launch<inverse_head<W>>(queue, dim3(groups, limbs, items), chunk_threads(size), size * sizeof(W), 1, "transform", a,
                          tables, groups);
  for (groups /= 2; groups >= 1; groups /= 2) {
    launch<inverse_stage<W>>(queue, stage_grid(a.degree, limbs, items), stage_threads, 0, 1, "transform", a, tables,
                             groups);
  }
}

#define CYCLOTOME_INSTANTIATE(W)                                                                          \
  template void forward_by_stages(const Queue&, DeviceView<W>, unsigned, unsigned, const RingTables<W>*); \
  template void inverse_by_stages(const Queue&, DeviceView<W>, unsigned, unsigned, const RingTables<W>*);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
