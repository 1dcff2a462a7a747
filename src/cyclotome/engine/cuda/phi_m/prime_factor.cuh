// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/phi_m/matrix_tables.hpp"
#include "cyclotome/engine/cuda/tables.cuh"
#include "cyclotome/ring/randomness/sampling.hpp"

// Transforms over Phi_m, m odd and squarefree (ring/tables/prime_factor_tables.hpp): as products with small matrices
// where there are such kernels, else one convolution after another.
namespace cyclotome::cuda {

struct FromDigits;  // matrix_operands.cuh
struct FromLift;
struct ToQuotients;

/// Lines of values along one prime factor of m, one for each choice of the other exponents.
struct PrimeFactorAxis {
  const std::uint32_t *starts, *offsets;  ///< of the lines; within a line
  std::uint32_t length, padded, lines;
  std::uint32_t runs;  ///< 1: neighbours of a line lie side by side
};

inline constexpr std::size_t max_axes = 5;  ///< 3 5 7 11 13 17 is above 2^17

/// One limb's convolution along one axis, as FixedConvolution.
template <class W>
struct DeviceConvolution {
  const ShoupFactor<W>*splits, *merges;
  const W* kernel;
  std::uint32_t block;
};

/// What one limb's transforms need, by direction; matrices or convolutions.
template <class W>
struct PrimeFactorLimb {
  DeviceConvolution<W> convolutions[2][max_axes];
  const MatrixTables* matrices[2];
};

/// Of a ring.
template <class W>
struct PrimeFactorRing {
  const PrimeFactorLimb<W>* limbs;
  std::uint32_t matrix_rows;  ///< 0: no matrices, and axes instead
  std::uint32_t axis_count;
  std::array<PrimeFactorAxis, max_axes> axes;
};

/// Bytes of shared memory that a line along a factor whose exponents are `order` takes.
constexpr std::size_t line_bytes(std::size_t order, Word word) {
  const std::size_t padded = is_power_of_two(order) ? order : std::bit_ceil(2 * order - 1);
  return ((padded + 1) * bytes_of(word) + 15) / 16 * 16;
}

/// Bytes of shared memory in which a block draws numbers that errors are sums of, a block of the stream at a time.
constexpr std::size_t error_bytes(std::size_t draws) {
  return (draws + small_draws_per_block - 1) / small_draws_per_block * small_draws_per_block;
}

enum class Direction : std::uint8_t { to_transform, to_coefficients };

/// In place, all limbs of `items` polynomials; any m whose lines fit a block's shared memory.
template <class W>
void transform_by_axes(const Queue& queue, DeviceView<W> a, unsigned limbs, unsigned items, const RingTables<W>* tables,
                       const PrimeFactorRing<W>& ring, Direction direction);

/// The same by matrices, where ring.matrix_rows says that there are some; out may be a.
void transform_by_matrices(const Queue& queue, DeviceView<std::uint32_t> out, DeviceView<std::uint32_t> a,
                           unsigned limbs, unsigned items, const PrimeFactorRing<std::uint32_t>& ring,
                           Direction direction);
/// Of a key switch's digits, in place; `items` counts each digit.
void transform_by_matrices(const Queue& queue, const FromDigits& digits, unsigned limbs, unsigned items,
                           const PrimeFactorRing<std::uint32_t>& ring);
/// out = the quotients that the transform of a correction leaves, which is given, or lifted from a dropped prime.
void divide_by_matrices(const Queue& queue, const ToQuotients& out, DeviceView<std::uint32_t> correction,
                        unsigned limbs, unsigned items, const PrimeFactorRing<std::uint32_t>& ring);
void divide_by_matrices(const Queue& queue, const ToQuotients& out, const FromLift& dropped, unsigned limbs,
                        unsigned items, const PrimeFactorRing<std::uint32_t>& ring);

/// By whichever it is.
template <class W>
void transform_prime_factors(const Queue& queue, DeviceView<W> a, unsigned limbs, unsigned items,
                             const RingTables<W>* tables, const PrimeFactorRing<W>& ring, Direction direction) {
  if constexpr (sizeof(W) == 4) {
    if (ring.matrix_rows != 0) return transform_by_matrices(queue, a, a, limbs, items, ring, direction);
  }
  transform_by_axes(queue, a, limbs, items, tables, ring, direction);
}

}  // namespace cyclotome::cuda
