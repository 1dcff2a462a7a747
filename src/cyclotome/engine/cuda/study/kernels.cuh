// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/device_view.cuh"
#include "cyclotome/engine/cuda/study/design.hpp"
#include "cyclotome/engine/cuda/study/field.cuh"

// Two kernels a direction make all designs: `stage`, one stage over global memory, and `block`, the narrow stages of
// 2^block_stages values by one block. Grid: (blocks of a polynomial, limbs, items).
namespace cyclotome::cuda::study {

template <class Field>
__device__ inline Cells<typename Field::Word> cells(const DeviceView<typename Field::Word>& a) {
  return {a.limb(blockIdx.z, blockIdx.y), a.degree / Field::words};
}

/// Butterfly i of the stage with gap 2^s, on `x`, which is block `block` of 2^block_stages values.
template <class Field, bool Inverse>
__device__ inline void butterfly(const Field& field, Cells<typename Field::Word> x, std::uint32_t i, unsigned s,
                                 unsigned stages, unsigned block_stages, std::uint32_t block) {
  const std::uint32_t low = lower_index(i, s), high = low + (1U << s);
  const std::uint32_t root = root_index(i, s, stages, block_stages, block);
  auto u = Field::load(x, low), v = Field::load(x, high);
  if constexpr (Inverse) {
    field.inverse(u, v, root);
  } else {
    field.forward(u, v, root);
  }
  Field::store(x, low, u);
  Field::store(x, high, v);
}

/// The stage with gap 2^s.
template <class Field, bool Inverse>
__global__ void __launch_bounds__(max_block_threads)
    stage(DeviceView<typename Field::Word> a, const Field* fields, unsigned s, unsigned stages) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (1U << (stages - 1))) return;
  butterfly<Field, Inverse>(fields[blockIdx.y], cells<Field>(a), i, s, stages, stages, 0);
}

/// Between the stages with gaps 2 lanes and lanes: thread i goes on to own butterfly i of the other stage. It keeps one
/// of its values and swaps the other with its neighbour `lanes` away. The step is its own inverse.
template <class Field>
__device__ inline void swap_across(typename Field::Value& u, typename Field::Value& v, unsigned lanes) {
  const bool upper = (threadIdx.x & lanes) != 0;
  const auto received = Field::exchange(upper ? u : v, lanes);
  if (upper) {
    u = received;
  } else {
    v = received;
  }
}

/// The stages with gaps 32 ... 1 (forward) or 1 ... 32 (inverse) of butterfly i and its 31 neighbours, in registers.
/// A whole warp must call it, with i = 32 k + lane.
template <class Field, bool Inverse>
__device__ inline void shuffled_stages(const Field& field, Cells<typename Field::Word> x, std::uint32_t i,
                                       unsigned stages, unsigned block_stages, std::uint32_t block) {
  constexpr unsigned top = shuffle_stages - 1, first = Inverse ? 0 : top, last = Inverse ? top : 0;
  auto u = Field::load(x, lower_index(i, first)), v = Field::load(x, lower_index(i, first) + (1U << first));
#pragma unroll
  for (unsigned k = 0; k <= top; ++k) {
    const unsigned s = Inverse ? k : top - k;
    if (k != 0) swap_across<Field>(u, v, Inverse ? 1U << (s - 1) : 1U << s);
    const std::uint32_t root = root_index(i, s, stages, block_stages, block);
    if constexpr (Inverse) {
      field.inverse(u, v, root);
    } else {
      field.forward(u, v, root);
    }
  }
  Field::store(x, lower_index(i, last), u);
  Field::store(x, lower_index(i, last) + (1U << last), v);
}

/// Stages 0 ... block_stages - 1, forward from the widest or inverse from the narrowest. Blocks have min(1024,
/// 2^(block_stages - 1)) threads; dynamic shared memory holds the values if `storage` is shared.
template <class Field, bool Inverse, Storage storage>
__global__ void __launch_bounds__(max_block_threads)
    block(DeviceView<typename Field::Word> a, const Field* fields, unsigned stages, unsigned block_stages) {
  using W = typename Field::Word;
  extern __shared__ __align__(16) unsigned char memory[];
  const Field field = fields[blockIdx.y];
  const std::uint32_t size = 1U << block_stages;
  const Cells<W> global = cells<Field>(a) + (blockIdx.x << block_stages);
  const Cells<W> x = storage == Storage::shared ? Cells<W>{reinterpret_cast<W*>(memory), size} : global;
  if constexpr (storage == Storage::shared) {
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) Field::store(x, i, Field::load(global, i));
    __syncthreads();
  }
  constexpr unsigned shuffled = storage == Storage::shuffle ? shuffle_stages : 0;
  const auto by_warps = [&] {
    if constexpr (shuffled != 0) {
      for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
        shuffled_stages<Field, Inverse>(field, x, i, stages, block_stages, blockIdx.x);
      }
      __syncthreads();
    }
  };
  if constexpr (Inverse) by_warps();
  for (unsigned k = shuffled; k < block_stages; ++k) {
    const unsigned s = Inverse ? k : block_stages - 1 - (k - shuffled);
    for (std::uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
      butterfly<Field, Inverse>(field, x, i, s, stages, block_stages, blockIdx.x);
    }
    __syncthreads();
  }
  if constexpr (!Inverse) by_warps();
  if constexpr (storage == Storage::shared) {
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) Field::store(global, i, Field::load(x, i));
  }
}

/// Gaussian values A_k to the library's transform and back, in place: A_k is a(psi^(4 br(k) + 1)) under i -> iota,
/// which is entry k, and a(psi^-(4 br(k) + 1)) under i -> -iota, which is entry n - 1 - k. A thread does k and n/2 - 1
/// - k, whose four words are read and written by no other.
template <LimbWord W, bool Inverse>
__global__ void conjugate_images(DeviceView<W> a, const GaussianField<W>* fields) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, half = a.degree / 2;
  if (k >= half / 2) return;
  const GaussianField<W> field = fields[blockIdx.y];
  const Modulus<W> q = field.q;
  W* const x = a.limb(blockIdx.z, blockIdx.y);
  W first[2], second[2];
  const std::uint32_t index[2] = {k, half - 1 - k};
  for (int j = 0; j < 2; ++j) {
    first[j] = x[index[j]];
    second[j] = x[Inverse ? a.degree - 1 - index[j] : half + index[j]];
  }
  for (int j = 0; j < 2; ++j) {
    if constexpr (Inverse) {
      x[index[j]] = halve(q.add(first[j], second[j]), q.value());
      x[half + index[j]] =
          q.multiply(halve(q.subtract(first[j], second[j]), q.value()), q.negate(field.imaginary_unit));
    } else {
      const W turned = q.multiply(second[j], field.imaginary_unit);
      x[index[j]] = q.add(first[j], turned);
      x[a.degree - 1 - index[j]] = q.subtract(first[j], turned);
    }
  }
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
