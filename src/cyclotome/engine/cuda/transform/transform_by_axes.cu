// SPDX-License-Identifier: Apache-2.0
// Transforms over Phi_m for any m whose lines fit a block's shared memory, on any device: one convolution along each
// prime factor after another, as ring/tables/prime_factor_tables.hpp has them.
#include <algorithm>

#include "cyclotome/engine/cuda/phi_m/prime_factor.cuh"

namespace cyclotome::cuda {

namespace {

constexpr unsigned line_threads = 256;
constexpr std::size_t usual_bytes = 32 * 1024;  ///< of shared memory that a block should take

/// Of a power of two.
__device__ __forceinline__ unsigned log_of(std::uint32_t x) { return 31 - __clz(static_cast<int>(x)); }

/// Lines of a block in shared memory, each with a word more than it has values, so that lanes find different banks.
template <class W>
struct Lines {
  W* memory;
  std::uint32_t count, padded;

  __device__ W* line(std::uint32_t i) const { return memory + i * (padded + 1); }
  /// body(line, i) for all of `each` things of every line, a power of two.
  template <class Body>
  __device__ void over(std::uint32_t each, const Body& body) const {
    const unsigned shift = log_of(each);
    for (std::uint32_t i = threadIdx.x; i < count << shift; i += line_threads) {
      body(line(i >> shift), i & (each - 1));
    }
    __syncthreads();
  }
};

/// x^padded - 1 -> blocks modulo x^block - rho, level by level.
template <class W>
__device__ void split(const Lines<W>& lines, const DeviceConvolution<W>& c, const Modulus<W>& q) {
  const ShoupFactor<W>* factors = c.splits;
  for (std::uint32_t half = lines.padded / 2, nodes = 1; half >= c.block; half /= 2, nodes *= 2) {
    const unsigned shift = log_of(half);
    lines.over(lines.padded / 2, [&](W* line, std::uint32_t i) {
      const std::uint32_t node = i >> shift;
      W* const x = line + i + (node << shift);
      const W low = x[0], high = factors[node].multiply(x[half], q.value());
      x[0] = q.add(low, high);
      x[half] = q.subtract(low, high);
    });
    factors += nodes;
  }
}

/// And back, but for the factor 2^depth, which the kernel has.
template <class W>
__device__ void merge(const Lines<W>& lines, const DeviceConvolution<W>& c, const Modulus<W>& q) {
  for (std::uint32_t half = c.block; half < lines.padded; half *= 2) {
    const ShoupFactor<W>* const factors = c.merges + (lines.padded / (2 * half) - 1);
    const unsigned shift = log_of(half);
    lines.over(lines.padded / 2, [&](W* line, std::uint32_t i) {
      const std::uint32_t node = i >> shift;
      W* const x = line + i + (node << shift);
      const W low = x[0], high = x[half];
      x[0] = q.add(low, high);
      x[half] = factors[node].multiply(q.subtract(low, high), q.value());
    });
  }
}

/// Each block times its part of the kernel; what wraps around meets rho times it.
template <unsigned Block, class W>
__device__ void multiply_blocks(const Lines<W>& lines, const W* kernels, const Modulus<W>& q) {
  lines.over(lines.padded / Block, [&](W* line, std::uint32_t number) {
    const W* const kernel = kernels + std::size_t{number} * 2 * Block;
    W* const at = line + number * Block;
    W x[Block];
#pragma unroll
    for (unsigned j = 0; j < Block; ++j) x[j] = at[j];
#pragma unroll 1
    for (unsigned i = 0; i < Block; ++i) {
      Wide<W> sum = 0;  // at most 16 products below 2^60 (2^122)
#pragma unroll
      for (unsigned j = 0; j < Block; ++j) {
        sum += static_cast<Wide<W>>(x[j]) * kernel[j <= i ? i - j : 2 * Block + i - j];
      }
      at[i] = q.reduce_wide(sum);
    }
  });
}

/// Grid: (lines / each, limbs, items).
template <class W>
__global__ void __launch_bounds__(line_threads)
    convolve(DeviceView<W> a, const RingTables<W>* tables, const PrimeFactorLimb<W>* limbs, PrimeFactorAxis axis,
             std::uint32_t number, std::uint32_t direction, std::uint32_t each) {
  extern __shared__ uint4 memory[];
  let_next_start();
  const Modulus<W> q = tables->limb[blockIdx.y].modulus;
  const DeviceConvolution<W> c = limbs[blockIdx.y].convolutions[direction][number];
  W* const limb = a.limb(blockIdx.z, blockIdx.y);
  const std::uint32_t first = blockIdx.x * each;
  const Lines<W> lines{reinterpret_cast<W*>(memory), min(each, axis.lines - first), axis.padded};
  wait_for_previous();
  const auto over_values = [&](const auto& body) {  // in the order in which they lie side by side
    for (std::uint32_t i = threadIdx.x; i < lines.count * axis.length; i += line_threads) {
      const std::uint32_t line = axis.runs != 0 ? i / axis.length : i % lines.count;
      const std::uint32_t e = axis.runs != 0 ? i % axis.length : i / lines.count;
      body(lines.line(line)[e], limb[axis.starts[first + line] + axis.offsets[e]]);
    }
    __syncthreads();
  };
  if (axis.padded != axis.length) {
    lines.over(axis.padded, [&](W* line, std::uint32_t i) { line[i] = 0; });
  }
  over_values([](W& here, W& there) { here = there; });
  split(lines, c, q);
  switch (c.block) {
    case 1:
      multiply_blocks<1>(lines, c.kernel, q);
      break;
    case 2:
      multiply_blocks<2>(lines, c.kernel, q);
      break;
    case 4:
      multiply_blocks<4>(lines, c.kernel, q);
      break;
    case 8:
      multiply_blocks<8>(lines, c.kernel, q);
      break;
    default:
      multiply_blocks<16>(lines, c.kernel, q);
  }
  merge(lines, c, q);
  over_values([](W& here, W& there) { there = here; });
}

}  // namespace

template <class W>
void transform_by_axes(const Queue& queue, DeviceView<W> a, unsigned limbs, unsigned items, const RingTables<W>* tables,
                       const PrimeFactorRing<W>& ring, Direction direction) {
  for (std::uint32_t i = 0; i < ring.axis_count; ++i) {
    const PrimeFactorAxis& axis = ring.axes[i];
    const std::size_t bytes = (axis.padded + 1) * sizeof(W);
    const auto each = static_cast<std::uint32_t>(std::clamp<std::size_t>(usual_bytes / bytes, 1, axis.lines));
    launch<convolve<W>, Start::early>(queue, dim3((axis.lines + each - 1) / each, limbs, items), line_threads,
                                      (each * bytes + 15) / 16 * 16, 1, "transform", a, tables, ring.limbs, axis, i,
                                      static_cast<std::uint32_t>(direction), each);
  }
}

template void transform_by_axes(const Queue&, DeviceView<std::uint32_t>, unsigned, unsigned,
                                const RingTables<std::uint32_t>*, const PrimeFactorRing<std::uint32_t>&, Direction);
template void transform_by_axes(const Queue&, DeviceView<std::uint64_t>, unsigned, unsigned,
                                const RingTables<std::uint64_t>*, const PrimeFactorRing<std::uint64_t>&, Direction);

}  // namespace cyclotome::cuda
