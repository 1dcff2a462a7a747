// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/tables/prime_factor_tables.hpp"

namespace cyclotome::cpu {

/// What vectors in scratch are aligned to.
inline constexpr std::size_t scratch_alignment = 64;

/// Rows of memory: row i starts at x + i * stride and has `width` words, a multiple of a register's.
template <LimbWord W>
struct Rows {
  W* x;
  std::size_t count, stride, width;
};

/// Convolutions with a fixed kernel as one instruction set does them, for transforms over Phi_m: prime_factor.cpp puts
/// them together. Constant time. Values are in [0, q) unless it says otherwise; rows' lie between, in a range of the
/// set's own: split_rows starts from [0, q) or from split rows, convolve_rows and merge_rows go on from what the others
/// left, and convolve_257 ends with [0, q).
template <LimbWord W>
struct ConvolutionKernels {
  using Convolution = FixedConvolution<W>;

  /// Lines that lie side by side in a tile.
  std::size_t lanes;
  /// tile[padded][lanes], zero beyond the length. work: block_scratch_bytes, aligned.
  void (*columns)(W* tile, const Convolution& c, const Modulus<W>& q, W* work) noexcept;
  /// line[padded], zero beyond the length.
  void (*line)(W* line, const Convolution& c, const Modulus<W>& q) noexcept;

  // These are for vectors only: null where lanes is 1. Convolutions without padding whose blocks are single factors.
  /// Splitting alone, and merging alone; split: the rows have been split along another axis before.
  void (*split_rows)(const Rows<W>& rows, const Convolution& c, bool split, W q) noexcept;
  void (*merge_rows)(const Rows<W>& rows, const Convolution& c, W q) noexcept;
  /// Splitting, a product with kernel[row], and merging.
  void (*convolve_rows)(const Rows<W>& rows, const Convolution& c, const ShoupFactor<W>* kernel, bool split,
                        W q) noexcept;
  /// Along the axis of 257 in storage order, `rows` of 16 words for each hi. scratch: PrimeFactorTables::scratch_words.
  void (*convolve_257)(W* a, std::size_t rows, const Convolution& c, const Modulus<W>& q, W* scratch) noexcept;
};

}  // namespace cyclotome::cpu
