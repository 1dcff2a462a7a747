// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/launcher.hpp"
#include "cyclotome/engine/cuda/limb_access.cuh"

namespace cyclotome::cuda {

/// Key and the parts of the nonce that a launch shares (see ring/sampling.hpp).
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

/// One thread, one coefficient of an error that is a signed sum of draws (ring/error_sums.hpp), in all limbs. numbers:
/// [terms][degree], public. Grid: (blocks, 1, items).
template <class W>
__global__ void sample_sums(DeviceView<W> out, const RingTables<W>* tables, const __grid_constant__ StreamKey stream,
                            const std::uint32_t* numbers, std::uint32_t terms, std::uint32_t limbs) {
  let_next_start();
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= out.degree) return;
  const std::uint32_t item = blockIdx.z;
  const std::uint32_t nonce[3] = {stream.stream << 16 | item % out.parts, stream.first_item + item / out.parts, 0};
  int sum = 0;
  for (std::uint32_t term = 0; term < terms; ++term) {
    const std::uint32_t number = numbers[term * out.degree + c];
    std::uint32_t words[16];
    chacha20_block(stream.key, number / small_draws_per_block, nonce, words);
    std::uint64_t random = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < small_draws_per_block; ++i) {  // no index of a register array
      const std::uint64_t word = words[2 * i] | static_cast<std::uint64_t>(words[2 * i + 1]) << 32;
      if (number % small_draws_per_block == i) random = word;
    }
    const int value = error_value(random);
    sum += (__popc(term) & 1) != 0 ? -value : value;
  }
  wait_for_previous();
  for (std::uint32_t l = 0; l < limbs; ++l) {
    out.limb(item, l)[c] = small_residue(sum, tables->limb[l].modulus.value());
  }
}

}  // namespace cyclotome::cuda
