// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/carrier_transform.hpp"
#include "cyclotome/study/ltv/residue_number.hpp"

// Paper 002's transform of N = 8192 ... 65536 values modulo P in three kernels (Algorithm 1), with the host's bits. A
// thread transforms 64 values, the last kernel's N/4096, in registers; products in there are shifts. grid.y counts
// rows: polynomials times primes. Where values come from and go to is a template parameter, so that padding, digits,
// the order of an inverse and its reduction modulo p cost no pass of their own.
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

/// Columns of 64 rows: one thread each, neighbours in memory. Rows are computed some at a time: `row` is among all,
/// blockIdx.y among these, by which what lies between steps is kept.
template <class Source>
__global__ void __launch_bounds__(128)
    first_step(std::uint64_t* out, const __grid_constant__ Source source, const std::uint64_t* twiddles,
               TransformSteps steps, unsigned first_row) {
  const unsigned columns = steps.columns * steps.rest, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const std::size_t row = first_row + blockIdx.y;
  std::uint64_t x[64];
#pragma unroll
  for (unsigned i = 0; i < 64; ++i) x[i] = source(row, static_cast<std::size_t>(i) * columns + c);
  small_transform<64>(x);
  std::uint64_t* const to = out + blockIdx.y * steps.points() + c;
#pragma unroll
  for (unsigned k = 0; k < 64; ++k) {
    to[static_cast<std::size_t>(k) * columns] =
        k == 0 ? x[0] : carrier::multiply(x[k], twiddles[steps.first_twiddle(k, c / steps.rest)]);
  }
}

/// 64 columns of row k, part r; result l goes to r * 4096 + k + 64 l. Up to eight threads that differ in r alone read
/// neighbours, and those that differ in k write them.
template <unsigned Rest>
__global__ void __launch_bounds__(128)
    second_step(std::uint64_t* out, const std::uint64_t* in, const std::uint64_t* twiddles, TransformSteps steps) {
  constexpr unsigned together = Rest < 8 ? Rest : 8;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, k = thread / together % 64,
                 r = thread % together + thread / (64 * together) * together;
  const std::size_t row = blockIdx.y, columns = static_cast<std::size_t>(64) * Rest;
  const std::uint64_t* const from = in + row * steps.points() + k * columns + r;
  std::uint64_t x[64];
#pragma unroll
  for (unsigned l = 0; l < 64; ++l) x[l] = from[static_cast<std::size_t>(l) * Rest];
  small_transform<64>(x);
  std::uint64_t* const to = out + row * steps.points() + static_cast<std::size_t>(r) * 4096 + k;
#pragma unroll
  for (unsigned l = 0; l < 64; ++l) to[64 * l] = carrier::multiply(x[l], twiddles[steps.second_twiddle(k + 64 * l, r)]);
}

/// `Rest` parts of each of 4096 values.
template <unsigned Rest, class Sink>
__global__ void third_step(Sink sink, const std::uint64_t* in, unsigned first_row) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::size_t row = blockIdx.y;
  std::uint64_t x[Rest];
#pragma unroll
  for (unsigned r = 0; r < Rest; ++r) x[r] = in[row * (4096 * Rest) + r * 4096 + i];
  small_transform<Rest>(x);
#pragma unroll
  for (unsigned r = 0; r < Rest; ++r) sink(first_row + row, r * 4096 + i, x[r]);
}

}  // namespace cyclotome::cuda::study
