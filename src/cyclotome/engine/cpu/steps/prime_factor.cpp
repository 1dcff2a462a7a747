// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/steps/prime_factor.hpp"

#include <algorithm>

#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::cpu {

namespace {

template <LimbWord W>
W subtract_if_reaches(W x, W bound) noexcept {
  return static_cast<W>(x - (bound & mask_if<W>(x >= bound)));
}

/// x^padded - 1 -> blocks modulo x^block - rho, level by level; values stay in [0, 4q). The factors at the left are 1.
template <LimbWord W>
void split(W* x, const FixedConvolution<W>& c, W q) noexcept {
  const W two_q = static_cast<W>(2 * q);
  const ShoupFactor<W>* factor = c.splits.data();
  for (std::size_t half = c.padded / 2; half >= c.block; half /= 2) {
    for (W* node = x; node != x + c.padded; node += 2 * half, ++factor) {
      for (std::size_t i = 0; i < half; ++i) {
        const W low = subtract_if_reaches(node[i], two_q), high = node[i + half];
        const W product = node == x ? subtract_if_reaches(high, two_q) : factor->multiply_lazy(high, q);
        node[i] = static_cast<W>(low + product);
        node[i + half] = static_cast<W>(low + two_q - product);
      }
    }
  }
}

/// And back, but for the factor 2^depth, which the kernel has; values stay in [0, 2q).
template <LimbWord W>
void merge(W* x, const FixedConvolution<W>& c, W q) noexcept {
  const W two_q = static_cast<W>(2 * q);
  const ShoupFactor<W>* factor = c.merges.data() + c.merges.size();
  for (std::size_t half = c.block; half < c.padded; half *= 2) {
    factor -= c.padded / (2 * half);
    const ShoupFactor<W>* own = factor;
    for (W* node = x; node != x + c.padded; node += 2 * half, ++own) {
      for (std::size_t i = 0; i < half; ++i) {
        const W low = node[i], high = node[i + half], difference = static_cast<W>(low + two_q - high);
        node[i] = subtract_if_reaches(static_cast<W>(low + high), two_q);
        node[i + half] = node == x ? subtract_if_reaches(difference, two_q) : own->multiply_lazy(difference, q);
      }
    }
  }
}

/// Each block in [0, 4q) times its part of the kernel modulo x^block - rho, in [0, 2q): what wraps around is multiplied
/// by rho K instead of K.
template <LimbWord W>
void multiply_blocks(W* x, const FixedConvolution<W>& c, const Modulus<W>& q) noexcept {
  if (c.block == 1) {
    for (std::size_t i = 0; i < c.padded; ++i) x[i] = c.factors[i].multiply_lazy(x[i], q.value());
    return;
  }
  for (std::size_t i = 0; i < c.padded; ++i) {
    x[i] = q.subtract_if_reaches(subtract_if_reaches(x[i], static_cast<W>(2 * q.value())));
  }
  W block[largest_convolution_block];
  const std::size_t size = c.block;
  const W* kernel = c.kernel.data();
  for (W* at = x; at != x + c.padded; at += size, kernel += 2 * size) {
    for (std::size_t i = 0; i < size; ++i) {
      Wide<W> sum = 0;  // at most 16 products below 2^60 (2^122)
      for (std::size_t j = 0; j <= i; ++j) sum += static_cast<Wide<W>>(at[j]) * kernel[i - j];
      for (std::size_t j = i + 1; j < size; ++j) sum += static_cast<Wide<W>>(at[j]) * kernel[2 * size + i - j];
      block[i] = q.reduce_wide(sum);
    }
    std::copy_n(block, size, at);
  }
  secure_zero(block, sizeof(block));
}

template <LimbWord W>
using Convolutions = std::vector<FixedConvolution<W>>;

/// As many lines as lie side by side in a tile, gathered; or line by line where there are few.
template <LimbWord W>
void along_axis(const ConvolutionKernels<W>& kernels, W* a, const CyclotomicIndex::Axis& axis,
                const FixedConvolution<W>& c, const Modulus<W>& q, W* scratch) noexcept {
  W* const tile = scratch + block_scratch_bytes / sizeof(W);
  const std::size_t lines = axis.starts.size(), lanes = lines < fewest_columns ? 1 : kernels.lanes;
  for (std::size_t first = 0; first < lines; first += lanes) {
    const std::size_t count = std::min(lanes, lines - first);
    const std::uint32_t* const starts = axis.starts.data() + first;
    std::fill_n(tile, c.padded * lanes, W{0});
    for (std::size_t e = 0; e < c.length; ++e) {
      for (std::size_t l = 0; l < count; ++l) tile[e * lanes + l] = a[starts[l] + axis.offsets[e]];
    }
    if (lanes == 1) {
      kernels.line(tile, c, q);
    } else {
      kernels.columns(tile, c, q, scratch);
    }
    for (std::size_t e = 0; e < c.length; ++e) {
      for (std::size_t l = 0; l < count; ++l) a[starts[l] + axis.offsets[e]] = tile[e * lanes + l];
    }
  }
}

/// 3, 5, 17 beside 257: all within a slab of one hi, which the first-level cache holds. The last of them goes through
/// registers once, from splitting over the joint product to merging.
template <LimbWord W>
void along_small_axes(const ConvolutionKernels<W>& kernels, W* slab, const Convolutions<W>& convolutions,
                      const std::vector<ShoupFactor<W>>& joint, W q) noexcept {
  constexpr std::size_t row = 16;
  const std::size_t count = convolutions.size() - 1;
  const auto each_run = [&](std::size_t axis, const auto& work) {
    const std::size_t length = convolutions[axis].length;
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < count; ++i) inner *= convolutions[i].length;
    for (std::size_t r = 0; r < joint.size(); r += length * inner) {
      work(convolutions[axis], Rows<W>{slab + r * row, length, inner * row, inner * row}, r);
    }
  };
  for (std::size_t axis = 0; axis + 1 < count; ++axis) {
    each_run(axis, [&](const auto& c, const Rows<W>& rows, std::size_t) { kernels.split_rows(rows, c, axis != 0, q); });
  }
  each_run(count - 1, [&](const auto& c, const Rows<W>& rows, std::size_t r) {
    kernels.convolve_rows(rows, c, joint.data() + r, count != 1, q);
  });
  for (std::size_t axis = count - 1; axis-- > 0;) {
    each_run(axis, [&](const auto& c, const Rows<W>& rows, std::size_t) { kernels.merge_rows(rows, c, q); });
  }
}

/// One convolution along each axis; axes commute.
template <LimbWord W>
void convolve(const ConvolutionKernels<W>& kernels, W* a, const PrimeFactorTables<W>& tables,
              const Convolutions<W>& convolutions, const std::vector<ShoupFactor<W>>& joint, W* scratch) noexcept {
  if (joint.empty() || kernels.lanes == 1) {
    for (std::size_t i = 0; i < convolutions.size(); ++i) {
      along_axis(kernels, a, tables.index->axes()[i], convolutions[i], tables.modulus, scratch);
    }
    return;
  }
  if (convolutions.size() > 1) {
    const std::size_t slab = tables.index->degree() / 16;
    for (std::size_t hi = 0; hi < 16; ++hi) {
      along_small_axes(kernels, a + hi * slab, convolutions, joint, tables.modulus.value());
    }
  }
  kernels.convolve_257(a, joint.size(), convolutions.back(), tables.modulus, scratch);
}

}  // namespace

template <LimbWord W>
void convolve_line(W* line, const FixedConvolution<W>& convolution, const Modulus<W>& modulus) noexcept {
  const Modulus<W> q = modulus;
  split(line, convolution, q.value());
  multiply_blocks(line, convolution, q);
  merge(line, convolution, q.value());
  for (std::size_t i = 0; i < convolution.length; ++i) line[i] = q.subtract_if_reaches(line[i]);
}

template <LimbWord W>
void to_transform(const ConvolutionKernels<W>& kernels, W* a, const PrimeFactorTables<W>& tables, W* scratch) noexcept {
  convolve(kernels, a, tables, tables.to_transform, tables.joint_to_transform, scratch);
}

template <LimbWord W>
void to_coefficients(const ConvolutionKernels<W>& kernels, W* a, const PrimeFactorTables<W>& tables,
                     W* scratch) noexcept {
  convolve(kernels, a, tables, tables.to_coefficients, tables.joint_to_coefficients, scratch);
}

#define CYCLOTOME_FOR_WORD(W)                                                                                \
  template void to_transform(const ConvolutionKernels<W>&, W*, const PrimeFactorTables<W>&, W*) noexcept;    \
  template void to_coefficients(const ConvolutionKernels<W>&, W*, const PrimeFactorTables<W>&, W*) noexcept; \
  template void convolve_line(W*, const FixedConvolution<W>&, const Modulus<W>&) noexcept;
CYCLOTOME_FOR_WORD(std::uint32_t)
CYCLOTOME_FOR_WORD(std::uint64_t)
#undef CYCLOTOME_FOR_WORD

}  // namespace cyclotome::cpu
