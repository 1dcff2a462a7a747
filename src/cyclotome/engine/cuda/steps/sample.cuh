// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/graph/launcher.hpp"
#include "cyclotome/engine/cuda/transform/limb_access.cuh"
#include "cyclotome/ring/randomness/error_sums.hpp"

namespace cyclotome::cuda {

/// Key and the parts of the nonce that a launch shares (see ring/randomness/sampling.hpp).
struct StreamKey {
  std::uint32_t key[8];
  std::uint32_t stream, first_item;
};

template <>
inline constexpr bool holds_seed<StreamKey> = true;

/// One thread, one ChaCha20 block, four residues. Grid: (blocks, limbs, items).
template <class W>
__global__ void sample_uniform(DeviceView<W> out, const RingTables<W>* tables,
                               const __grid_constant__ StreamKey stream) {
  let_next_start();
  const std::uint32_t block = blockIdx.x * blockDim.x + threadIdx.x, first = block * uniform_draws_per_block;
  if (first >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z;
  const std::uint32_t nonce[3] = {stream.stream << 16 | item % out.parts, stream.first_item + item / out.parts, l};
  std::uint32_t words[16];
  chacha20_block(stream.key, block, nonce, words);
  const W q = tables->limb[l].modulus.value();
  W* const x = out.limb(item, l);
  wait_for_previous();
#pragma unroll
  for (std::uint32_t i = 0; i < uniform_draws_per_block; ++i) {
    const std::uint64_t low = words[4 * i] | static_cast<std::uint64_t>(words[4 * i + 1]) << 32;
    const std::uint64_t high = words[4 * i + 2] | static_cast<std::uint64_t>(words[4 * i + 3]) << 32;
    if (first + i < out.degree) x[first + i] = static_cast<W>(uniform_residue(low, high, q));
  }
}

inline constexpr unsigned error_threads = 512;

/// Law::error where coefficients are signed sums of draws (ring/randomness/error_sums.hpp): each block draws all of a
/// polynomial into shared memory, a byte each, and puts `each` coefficients together. addresses: [terms][degree],
/// public. Grid: (shares of the coefficients, items).
template <class W>
__global__ void __launch_bounds__(error_threads)
    sample_error_sums(DeviceView<W> out, const RingTables<W>* tables, const __grid_constant__ StreamKey stream,
                      const std::uint32_t* addresses, std::uint32_t draws, std::uint32_t terms, std::uint32_t each,
                      std::uint32_t limbs) {
  extern __shared__ uint4 memory[];
  let_next_start();
  const std::uint32_t item = blockIdx.y, first = blockIdx.x * each, last = min(first + each, out.degree);
  const std::uint32_t nonce[3] = {stream.stream << 16 | item % out.parts, stream.first_item + item / out.parts, 0};
  for (std::uint32_t block = threadIdx.x; block * small_draws_per_block < draws; block += error_threads) {
    std::uint32_t words[16], packed[2] = {0, 0};
    chacha20_block(stream.key, block, nonce, words);
#pragma unroll
    for (std::uint32_t i = 0; i < small_draws_per_block; ++i) {
      const int value = error_value(words[2 * i] | static_cast<std::uint64_t>(words[2 * i + 1]) << 32);
      packed[i / 4] |= (static_cast<std::uint32_t>(value) & 0xff) << 8 * (i % 4);
    }
    reinterpret_cast<uint2*>(memory)[block] = make_uint2(packed[0], packed[1]);
  }
  __syncthreads();
  wait_for_previous();
  for (std::uint32_t c = first + threadIdx.x; c < last; c += error_threads) {
    int sum = 0;
    for (std::uint32_t term = 0; term < terms; ++term) {
      const int value = reinterpret_cast<const std::int8_t*>(memory)[addresses[std::size_t{term} * out.degree + c]];
      sum += ErrorSums::negative(term) ? -value : value;
    }
    for (std::uint32_t l = 0; l < limbs; ++l)
      out.limb(item, l)[c] = small_residue(sum, tables->limb[l].modulus.value());
  }
}

/// One thread, one block, eight small integers in `limbs` limbs from blockIdx.y * limbs on, of all that there are.
/// Grid: (blocks, shares of the limbs, items).
template <class W>
__global__ void sample_small(DeviceView<W> out, const RingTables<W>* tables, const __grid_constant__ StreamKey stream,
                             std::uint32_t limbs, std::uint32_t all_limbs, bool ternary) {
  let_next_start();
  const std::uint32_t block = blockIdx.x * blockDim.x + threadIdx.x, first = block * small_draws_per_block;
  if (first >= out.degree) return;
  const std::uint32_t item = blockIdx.z, last_limb = min((blockIdx.y + 1) * limbs, all_limbs);
  const std::uint32_t nonce[3] = {stream.stream << 16 | item % out.parts, stream.first_item + item / out.parts, 0};
  std::uint32_t words[16];
  chacha20_block(stream.key, block, nonce, words);
  int values[small_draws_per_block];
#pragma unroll
  for (std::uint32_t i = 0; i < small_draws_per_block; ++i) {
    const std::uint64_t random = words[2 * i] | static_cast<std::uint64_t>(words[2 * i + 1]) << 32;
    values[i] = ternary ? ternary_value(random) : error_value(random);
  }
  wait_for_previous();
  for (std::uint32_t l = blockIdx.y * limbs; l < last_limb; ++l) {
    W* const x = out.limb(item, l);
    const W q = tables->limb[l].modulus.value();
    W residues[small_draws_per_block];
#pragma unroll
    for (std::uint32_t i = 0; i < small_draws_per_block; ++i) residues[i] = small_residue(values[i], q);
    if (out.degree % small_draws_per_block == 0) {
      constexpr unsigned wide = 16 / sizeof(W);
#pragma unroll
      for (std::uint32_t i = 0; i < small_draws_per_block; i += wide) {
        Vector<W> quad;
#pragma unroll
        for (unsigned j = 0; j < wide; ++j) quad.word[j] = residues[i + j];
        *reinterpret_cast<Vector<W>*>(x + first + i) = quad;
      }
    } else {
#pragma unroll
      for (std::uint32_t i = 0; i < small_draws_per_block; ++i) {
        if (first + i < out.degree) x[first + i] = residues[i];
      }
    }
  }
}

}  // namespace cyclotome::cuda
