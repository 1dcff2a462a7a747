// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/study/transform/field.hpp"
#include "cyclotome/study/transform/stages.hpp"
#include "cyclotome/study/transform/stockham.hpp"

// Three kernels a direction make all designs: `stages`, some stages over global memory; `block`, the narrow stages of
// 2^block_stages values by one block; `group`, the passes of a Stockham transform. What each computes is
// src/cyclotome/study/transform, which the host runs too. Grid: (blocks of a polynomial, limbs, items).
namespace cyclotome::cuda::study {

using namespace cyclotome::study;

/// The threads of a block.
struct BlockTeam {
  template <class Body>
  __device__ void each(std::uint32_t count, const Body& body) const {
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) body(i);
  }
  __device__ void meet() const { __syncthreads(); }
};

template <class Field>
__device__ inline Cells<typename Field::Word> cells(const DeviceView<typename Field::Word>& a) {
  return {a.limb(blockIdx.z, blockIdx.y), a.degree / Field::words};
}

/// Stages s ... s + LogRadix - 1.
template <class Field, bool Inverse, unsigned LogRadix>
__global__ void __launch_bounds__(LogRadix == 1 ? max_block_threads : 256)
    stages(DeviceView<typename Field::Word> a, const Field* fields, unsigned s, unsigned stages) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (1U << (stages - LogRadix))) return;
  stages_in_registers<Inverse, LogRadix>(fields[blockIdx.y], cells<Field>(a), i, s, stages);
}

template <LimbWord W>
__device__ inline W exchange(W value, unsigned lanes) {
  return __shfl_xor_sync(0xffffffffU, value, lanes);
}

/// Between the stages with gaps 2 lanes and lanes: thread i goes on to own butterfly i of the other stage. It keeps one
/// of its values and swaps the other with its neighbour `lanes` away. The step is its own inverse.
template <class Value>
__device__ inline void swap_across(Value& u, Value& v, unsigned lanes) {
  const bool upper = (threadIdx.x & lanes) != 0;
  const auto received = exchange(upper ? u : v, lanes);
  if (upper) {
    u = received;
  } else {
    v = received;
  }
}

/// The stages with gaps 32 ... 1 (forward) or 1 ... 32 (inverse), in registers, by whole warps.
template <class Field, bool Inverse>
__device__ inline void shuffled_stages(const BlockTeam& team, const Field& field, Cells<typename Field::Word> x,
                                       unsigned stages, unsigned block_stages, std::uint32_t block) {
  constexpr unsigned top = shuffle_stages - 1, first = Inverse ? 0 : top, last = Inverse ? top : 0;
  team.each(1U << (block_stages - 1), [&](std::uint32_t i) {
    auto u = Field::load(x, lower_index(i, first)), v = Field::load(x, lower_index(i, first) + (1U << first));
#pragma unroll
    for (unsigned k = 0; k <= top; ++k) {
      const unsigned s = Inverse ? k : top - k;
      if (k != 0) swap_across(u, v, Inverse ? 1U << (s - 1) : 1U << s);
      butterfly<Inverse>(field, u, v, root_index(i, s, stages, block_stages, block));
    }
    Field::store(x, lower_index(i, last), u);
    Field::store(x, lower_index(i, last) + (1U << last), v);
  });
}

/// Stages 0 ... block_stages - 1, forward from the widest or inverse from the narrowest. Blocks have min(1024,
/// 2^(block_stages - 1)) threads; dynamic shared memory holds the values if `storage` is shared.
template <class Field, bool Inverse, Storage storage>
__global__ void __launch_bounds__(max_block_threads)
    block(DeviceView<typename Field::Word> a, const Field* fields, unsigned stages, unsigned block_stages) {
  using W = typename Field::Word;
  extern __shared__ __align__(16) unsigned char memory[];
  const Field field = fields[blockIdx.y];
  const Cells<W> scratch{reinterpret_cast<W*>(memory), 1U << block_stages};
  block_stages_of<Inverse, storage>(BlockTeam(), field, cells<Field>(a), scratch, stages, block_stages, blockIdx.x);
}

/// Threads of a block of `group`, at most: one for each butterfly of radix 8.
inline constexpr unsigned group_threads = 1U << (group_stages - max_stockham_log_radix);

/// A group of a Stockham transform: a block for every 2^columns columns. Dynamic shared memory holds their values
/// twice.
template <class Field, bool Inverse>
__global__ void __launch_bounds__(group_threads)
    group(DeviceView<typename Field::Word> to, DeviceView<typename Field::Word> from, const Field* fields,
          StockhamGroup group) {
  using W = typename Field::Word;
  extern __shared__ __align__(16) unsigned char memory[];
  const Field field = fields[blockIdx.y];
  const std::uint32_t size = 1U << (group.columns + group.count);
  const Cells<W> scratch{reinterpret_cast<W*>(memory), size}, other{scratch.data + size * Field::words, size};
  stockham_group<Inverse>(BlockTeam(), field, cells<Field>(to), cells<Field>(from), scratch, other, group,
                          blockIdx.x << group.columns);
}

/// Gaussian values to the library's transform and back.
template <LimbWord W, bool Inverse>
__global__ void images(DeviceView<W> a, const GaussianField<W>* fields) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= a.degree / 4) return;
  conjugate_images<Inverse>(a.limb(blockIdx.z, blockIdx.y), k, a.degree, fields[blockIdx.y]);
}

/// out = a b, Gaussian value by Gaussian value.
template <LimbWord W>
__global__ void gaussian_products(DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, const GaussianField<W>* fields) {
  using Field = GaussianField<W>;
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= out.degree / 2) return;
  const Modulus<W> q = fields[blockIdx.y].q;
  Field::store(cells<Field>(out), k, multiply(Field::load(cells<Field>(a), k), Field::load(cells<Field>(b), k), q));
}

}  // namespace cyclotome::cuda::study
