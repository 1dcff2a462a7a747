// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/polynomials/carrier_transform.hpp"
#include "cyclotome/study/ltv/polynomials/residue_number.hpp"

// Paper 002's transform of N = 8192 ... 65536 values modulo P in three kernels (Algorithm 1), with the host's bits. The
// first two transform 64 values as eight times eight, by eight threads of eight values each, which exchange them in
// shared memory; a thread of the last one has N/4096. Products in there are shifts. grid.y counts rows: polynomials
// times primes. Where values come from and go to is a template parameter, so that padding, digits, the order of an
// inverse and its reduction modulo p cost no pass of their own.
namespace cyclotome::cuda::study {

using cyclotome::study::ltv::LevelConstants;
using cyclotome::study::ltv::small_transform;
using cyclotome::study::ltv::TransformSteps;
namespace carrier = cyclotome::study::ltv::carrier;

/// Coefficients [first, first + count) of rows of residues, zeros behind them.
struct ResidueSource {
  const std::uint32_t* rows;
  std::size_t length, first, count;
  __device__ std::uint64_t operator()(std::size_t row, std::size_t i) const {
    return i < count ? rows[row * length + first + i] : 0;
  }
};

/// Digit row % digits of coefficients of polynomial row / digits.
struct DigitSource {
  const std::uint32_t* words;
  unsigned width, digits, window, degree;
  __device__ std::uint64_t operator()(std::size_t row, std::size_t i) const {
    if (i >= degree) return 0;
    const std::uint32_t* const x = words + (row / digits * degree + i) * width;
    return cyclotome::study::ltv::digit_of(x, width, static_cast<unsigned>(row % digits), window);
  }
};

/// Values in the order of an inverse transform: A_0, A_(N-1), ..., A_1.
struct ReversedSource {
  const std::uint64_t* values;
  std::size_t points;
  __device__ std::uint64_t operator()(std::size_t row, std::size_t i) const {
    return values[row * points + (i == 0 ? 0 : points - i)];
  }
};

struct ValueSink {
  std::uint64_t* values;
  std::size_t points;
  __device__ void operator()(std::size_t row, std::size_t i, std::uint64_t value) const {
    values[row * points + i] = value;
  }
};

/// Times 1/N, modulo the row's prime; `length` of them are kept.
struct ResidueSink {
  std::uint32_t* rows;
  const Modulus<std::uint32_t>* moduli;
  std::size_t primes, length;
  std::uint64_t inverse_of_points;
  __device__ void operator()(std::size_t row, std::size_t i, std::uint64_t value) const {
    if (i >= length) return;
    rows[row * length + i] = moduli[row % primes].reduce_wide(carrier::multiply(value, inverse_of_points));
  }
};

inline constexpr unsigned columns_of_block = 32, threads_of_columns = 8 * columns_of_block;

/// Multiplies value k by 8^(I k), for K and those after it.
template <unsigned I, unsigned K = 1>
__device__ inline void times_powers(std::uint64_t* x) {
  if constexpr (K < 8) {
    x[K] = carrier::shifted<3 * I * K>(x[K]);
    times_powers<I, K + 1>(x);
  }
}

/// The same of i, which all threads of a warp share.
__device__ inline void times_powers_of(unsigned i, std::uint64_t* x) {
  switch (i) {
    case 1:
      return times_powers<1>(x);
    case 2:
      return times_powers<2>(x);
    case 3:
      return times_powers<3>(x);
    case 4:
      return times_powers<4>(x);
    case 5:
      return times_powers<5>(x);
    case 6:
      return times_powers<6>(x);
    case 7:
      return times_powers<7>(x);
    default:
      return;
  }
}

/// small_transform<64> of a block's columns: lanes are columns, and warps the parts of a column.
template <class Load, class Store>
__device__ inline void transform_columns(const Load& load, const Store& store) {
  __shared__ std::uint64_t tile[64][columns_of_block];
  const unsigned lane = threadIdx.x % columns_of_block, part = threadIdx.x / columns_of_block;
  std::uint64_t x[8];
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) x[j] = load(8 * j + part);
  small_transform<8>(x);
  times_powers_of(part, x);
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) tile[8 * k + part][lane] = x[k];
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) x[i] = tile[8 * part + i][lane];
  small_transform<8>(x);
#pragma unroll
  for (unsigned l = 0; l < 8; ++l) store(part + 8 * l, x[l]);
}

/// Columns of 64 rows, neighbours in memory.
template <class Source>
__global__ void __launch_bounds__(threads_of_columns)
    first_step(std::uint64_t* out, const __grid_constant__ Source source, const std::uint64_t* twiddles,
               TransformSteps steps) {
  const unsigned columns = steps.columns * steps.rest,
                 c = blockIdx.x * columns_of_block + threadIdx.x % columns_of_block;
  const std::size_t row = blockIdx.y;
  std::uint64_t* const to = out + row * steps.points() + c;
  transform_columns([&](unsigned i) { return source(row, static_cast<std::size_t>(i) * columns + c); },
                    [&](unsigned k, std::uint64_t x) {
                      to[static_cast<std::size_t>(k) * columns] =
                          k == 0 ? x : carrier::multiply(x, twiddles[steps.first_twiddle(k, c / steps.rest)]);
                    });
}

/// 64 columns of row k, part r; result l goes to r * 4096 + k + 64 l. Up to eight threads that differ in r alone read
/// neighbours, and those that differ in k write them.
template <unsigned Rest>
__global__ void __launch_bounds__(threads_of_columns)
    second_step(std::uint64_t* out, const std::uint64_t* in, const std::uint64_t* twiddles, TransformSteps steps) {
  constexpr unsigned together = Rest < 8 ? Rest : 8;
  const unsigned column = blockIdx.x * columns_of_block + threadIdx.x % columns_of_block, k = column / together % 64,
                 r = column % together + column / (64 * together) * together;
  const std::size_t row = blockIdx.y, columns = static_cast<std::size_t>(64) * Rest;
  const std::uint64_t* const from = in + row * steps.points() + k * columns + r;
  std::uint64_t* const to = out + row * steps.points() + static_cast<std::size_t>(r) * 4096 + k;
  transform_columns([&](unsigned l) { return from[static_cast<std::size_t>(l) * Rest]; },
                    [&](unsigned l, std::uint64_t x) {
                      to[64 * l] = carrier::multiply(x, twiddles[steps.second_twiddle(k + 64 * l, r)]);
                    });
}

/// `Rest` parts of each of 4096 values.
template <unsigned Rest, class Sink>
__global__ void third_step(Sink sink, const std::uint64_t* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::size_t row = blockIdx.y;
  std::uint64_t x[Rest];
#pragma unroll
  for (unsigned r = 0; r < Rest; ++r) x[r] = in[row * (4096 * Rest) + r * 4096 + i];
  small_transform<Rest>(x);
#pragma unroll
  for (unsigned r = 0; r < Rest; ++r) sink(row, r * 4096 + i, x[r]);
}

}  // namespace cyclotome::cuda::study
