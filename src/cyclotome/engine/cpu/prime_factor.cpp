// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/prime_factor.hpp"

#include <algorithm>

#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome::cpu {

namespace {

/// x^padded - 1 -> blocks modulo x^block - rho, level by level.
template <LimbWord W>
void split(W* x, const FixedConvolution<W>& c, const Modulus<W>& q) noexcept {
  const ShoupFactor<W>* factor = c.splits.data();
  for (std::size_t half = c.padded / 2; half >= c.block; half /= 2) {
    for (W* node = x; node != x + c.padded; node += 2 * half, ++factor) {
      for (std::size_t i = 0; i < half; ++i) {
        const W low = node[i], high = factor->multiply(node[i + half], q.value());
        node[i] = q.add(low, high);
        node[i + half] = q.subtract(low, high);
      }
    }
  }
}

/// And back, but for the factor 2^depth, which the kernel has.
template <LimbWord W>
void merge(W* x, const FixedConvolution<W>& c, const Modulus<W>& q) noexcept {
  const ShoupFactor<W>* factor = c.merges.data() + c.merges.size();
  for (std::size_t half = c.block; half < c.padded; half *= 2) {
    factor -= c.padded / (2 * half);
    const ShoupFactor<W>* own = factor;
    for (W* node = x; node != x + c.padded; node += 2 * half, ++own) {
      for (std::size_t i = 0; i < half; ++i) {
        const W low = node[i], high = node[i + half];
        node[i] = q.add(low, high);
        node[i + half] = own->multiply(q.subtract(low, high), q.value());
      }
    }
  }
}

/// Each block times its part of the kernel modulo x^block - rho: what wraps around is multiplied by rho K instead of K.
template <LimbWord W>
void multiply_blocks(W* x, const FixedConvolution<W>& c, const Modulus<W>& q) noexcept {
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

/// One convolution along each axis; axes commute.
template <LimbWord W>
void convolve(W* a, const PrimeFactorTables<W>& tables, const std::vector<FixedConvolution<W>>& convolutions) {
  const Modulus<W> q = tables.modulus;
  ZeroisingVector<W> line(tables.scratch_words);
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    const FixedConvolution<W>& convolution = convolutions[i];
    const CyclotomicIndex::Axis& axis = tables.index->axes()[i];
    for (const std::uint32_t start : axis.starts) {
      for (std::size_t e = 0; e < convolution.length; ++e) line[e] = a[start + axis.offsets[e]];
      std::fill(line.begin() + static_cast<std::ptrdiff_t>(convolution.length),
                line.begin() + static_cast<std::ptrdiff_t>(convolution.padded), W{0});
      split(line.data(), convolution, q);
      multiply_blocks(line.data(), convolution, q);
      merge(line.data(), convolution, q);
      for (std::size_t e = 0; e < convolution.length; ++e) a[start + axis.offsets[e]] = line[e];
    }
  }
}

}  // namespace

template <LimbWord W>
void to_transform(W* a, const PrimeFactorTables<W>& tables) {
  convolve(a, tables, tables.to_transform);
}

template <LimbWord W>
void to_coefficients(W* a, const PrimeFactorTables<W>& tables) {
  convolve(a, tables, tables.to_coefficients);
}

template void to_transform(std::uint32_t*, const PrimeFactorTables<std::uint32_t>&);
template void to_transform(std::uint64_t*, const PrimeFactorTables<std::uint64_t>&);
template void to_coefficients(std::uint32_t*, const PrimeFactorTables<std::uint32_t>&);
template void to_coefficients(std::uint64_t*, const PrimeFactorTables<std::uint64_t>&);

}  // namespace cyclotome::cpu
