// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cyclotome/math/word.hpp"

// How the transforms under study share their stages out among kernels, and which values a thread combines. Plain
// functions for host and device: the CPU tests check the very index arithmetic that the kernels use.
namespace cyclotome {

/// Ways to transform on a GPU that the papers describe. All give the library's bits in the library's order.
enum class TransformDesign : std::uint8_t {
  single_kernel,          ///< 001 D1: one kernel, one block a polynomial, every stage over global memory
  multi_kernel,           ///< 001 D2: a kernel for every stage
  single_kernel_shared,   ///< 001 D3: one kernel, the polynomial in shared memory; only where it fits
  single_kernel_shuffle,  ///< 001 D4: one kernel, global memory, the six narrowest stages by warp shuffles
  hybrid,                 ///< 001 D5: a kernel for every wide stage, then one for the rest in shared memory
  galois,                 ///< 000's DGT: n/2 Gaussian residues, split into the two conjugate images afterwards
};

inline constexpr TransformDesign transform_designs[] = {
    TransformDesign::single_kernel,         TransformDesign::multi_kernel, TransformDesign::single_kernel_shared,
    TransformDesign::single_kernel_shuffle, TransformDesign::hybrid,       TransformDesign::galois};

/// "D1" ... "D5", as paper 001 calls them, and "DGT".
constexpr const char* name_of(TransformDesign design) noexcept {
  constexpr const char* names[] = {"D1", "D2", "D3", "D4", "D5", "DGT"};
  return names[static_cast<std::size_t>(design)];
}

namespace cuda::study {

/// Where a block keeps the values that it transforms.
enum class Storage : std::uint8_t { global, shared, shuffle };

/// A block has at most this many threads, one for each butterfly of a stage (paper 001: 2048 values a block).
inline constexpr unsigned max_block_threads = 1024;
/// Stages of gap 1, 2, ..., 32: a warp holds 64 neighbouring values in two registers a thread.
inline constexpr unsigned shuffle_stages = 6;

/// The stages of a transform of 2^stages values, by the gap 2^s between the two values of a butterfly. A forward
/// transform goes from s = stages - 1 down to 0, an inverse one up.
struct TransformPlan {
  unsigned stages;        ///< log2 of the number of values
  unsigned block_stages;  ///< stages 0 ... block_stages - 1 run in one kernel, a block for each 2^block_stages values
  Storage storage;        ///< of that kernel; the other stages are a kernel each, over global memory
};

/// log2 of the values that fit the shared memory which paper 001 gives a block: 32 KB forwards; half of it backwards,
/// where one more kernel was found to be cheaper (Table 3). value_bytes: 4 or 8, twice that for Gaussian residues.
constexpr unsigned shared_stages(std::size_t value_bytes, bool inverse) noexcept {
  unsigned stages = inverse ? 14 : 15;
  for (; value_bytes > 1; value_bytes /= 2) --stages;
  return stages;
}

/// Whether `design` can transform 2^log_degree residues of word_bytes bytes.
constexpr bool supports(TransformDesign design, unsigned log_degree, std::size_t word_bytes) noexcept {
  if (design == TransformDesign::single_kernel_shared) {
    return log_degree >= 1 && log_degree <= shared_stages(word_bytes, false);
  }
  if (design == TransformDesign::single_kernel_shuffle) return log_degree >= shuffle_stages;
  return log_degree >= (design == TransformDesign::galois ? 2U : 1U);
}

/// Precondition: supports(design, log_degree, word_bytes).
constexpr TransformPlan plan(TransformDesign design, unsigned log_degree, std::size_t word_bytes,
                             bool inverse) noexcept {
  const bool gaussian = design == TransformDesign::galois;
  const unsigned stages = gaussian ? log_degree - 1 : log_degree;
  switch (design) {
    case TransformDesign::single_kernel:
      return {stages, stages, Storage::global};
    case TransformDesign::multi_kernel:
      return {stages, 0, Storage::global};
    case TransformDesign::single_kernel_shared:
      return {stages, stages, Storage::shared};
    case TransformDesign::single_kernel_shuffle:
      return {stages, stages, Storage::shuffle};
    default: {
      const unsigned fits = shared_stages(gaussian ? 2 * word_bytes : word_bytes, inverse);
      return {stages, stages < fits ? stages : fits, Storage::shared};
    }
  }
}

/// Butterfly i of the stage with gap 2^s combines the values lower_index(i, s) and lower_index(i, s) + 2^s.
CYCLOTOME_HD constexpr std::uint32_t lower_index(std::uint32_t i, unsigned s) noexcept {
  return ((i >> s) << (s + 1)) | (i & ((1U << s) - 1));
}

/// Its root's place in the tables of a transform of 2^stages values. `i` counts butterflies within a block of
/// 2^block_stages values, `block` the blocks.
CYCLOTOME_HD constexpr std::uint32_t root_index(std::uint32_t i, unsigned s, unsigned stages, unsigned block_stages,
                                                std::uint32_t block) noexcept {
  return (1U << (stages - s - 1)) + (block << (block_stages - s - 1)) + (i >> s);
}

}  // namespace cuda::study
}  // namespace cyclotome
