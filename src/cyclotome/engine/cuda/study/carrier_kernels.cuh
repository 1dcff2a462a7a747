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

/// Columns of 64 rows: one thread each, neighbours in memory.
template <class Source>
__global__ void __launch_bounds__(128)
    first_step(std::uint64_t* out, Source source, const std::uint64_t* twiddles, TransformSteps steps) {
  const unsigned columns = steps.columns * steps.rest, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const std::size_t row = blockIdx.y;
  std::uint64_t x[64];
#pragma unroll
  for (unsigned i = 0; i < 64; ++i) x[i] = source(row, static_cast<std::size_t>(i) * columns + c);
  small_transform<64>(x);
  std::uint64_t* const to = out + row * steps.points() + c;
#pragma unroll
  for (unsigned k = 0; k < 64; ++k) {
    to[static_cast<std::size_t>(k) * columns] =
        k == 0 ? x[0] : carrier::multiply(x[k], twiddles[steps.first_twiddle(k, c / steps.rest)]);
  }
}

/// 64 columns of row k, part r; result l goes to r * 4096 + k + 64 l.
__global__ void __launch_bounds__(128)
    second_step(std::uint64_t* out, const std::uint64_t* in, const std::uint64_t* twiddles, TransformSteps steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, k = thread % 64, r = thread / 64;
  if (r >= steps.rest) return;
  const std::size_t row = blockIdx.y, columns = static_cast<std::size_t>(64) * steps.rest;
  const std::uint64_t* const from = in + row * steps.points() + k * columns + r;
  std::uint64_t x[64];
#pragma unroll
  for (unsigned l = 0; l < 64; ++l) x[l] = from[static_cast<std::size_t>(l) * steps.rest];
  small_transform<64>(x);
  std::uint64_t* const to = out + row * steps.points() + static_cast<std::size_t>(r) * 4096 + k;
#pragma unroll
  for (unsigned l = 0; l < 64; ++l) to[64 * l] = carrier::multiply(x[l], twiddles[steps.second_twiddle(k + 64 * l, r)]);
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

/// CRT: a thread a coefficient; residues leave in rows.
__global__ void to_residues(std::uint32_t* rows, const std::uint32_t* words, LevelConstants level, std::size_t degree) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x, item = blockIdx.y;
  if (i >= degree) return;
  const std::uint32_t* const x = words + (item * degree + i) * level.words;
  for (unsigned j = 0; j < level.primes; ++j) {
    rows[(item * level.primes + j) * degree + i] =
        cyclotome::study::ltv::residue_of(x, level.words, 1, level.moduli[j]);
  }
}

/// ICRT.
__global__ void to_integers(std::uint32_t* words, const std::uint32_t* rows, LevelConstants level, std::size_t degree) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x, item = blockIdx.y;
  if (i >= degree) return;
  cyclotome::study::ltv::integer_of(words + (item * degree + i) * level.words, rows + item * level.primes * degree + i,
                                    degree, level);
}

/// DOTMUL of rows; `factors` has a row for each row, or for each prime.
__global__ void products(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* factors, std::size_t points,
                         unsigned factor_rows) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x, row = blockIdx.y;
  out[row * points + i] = carrier::multiply(a[row * points + i], factors[(row % factor_rows) * points + i]);
}

/// MULADD of relinearisation: sum over digits of digit times key, for `Items` polynomials that share each word of the
/// key. A sum of 128-bit products is reduced once: what is carried beyond 2^128 = -2^32.
template <unsigned Items>
__global__ void key_products(std::uint64_t* out, const std::uint64_t* digits, const std::uint64_t* const* key,
                             std::size_t points, unsigned digit_count, unsigned primes, unsigned items) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  const unsigned j = blockIdx.y, first = blockIdx.z * Items;
  u128 sums[Items] = {};
  std::uint32_t carries[Items] = {};
  for (unsigned t = 0; t < digit_count; ++t) {
    const std::uint64_t factor = key[t][j * points + i];
#pragma unroll
    for (unsigned item = 0; item < Items; ++item) {
      if (first + item >= items) break;
      const u128 product =
          static_cast<u128>(digits[(static_cast<std::size_t>(first + item) * digit_count + t) * points + i]) * factor;
      sums[item] += product;
      carries[item] += sums[item] < product ? 1 : 0;
    }
  }
#pragma unroll
  for (unsigned item = 0; item < Items; ++item) {
    if (first + item >= items) break;
    const std::uint64_t low =
        carrier::reduce(static_cast<std::uint64_t>(sums[item] >> 64), static_cast<std::uint64_t>(sums[item]));
    out[(static_cast<std::size_t>(first + item) * primes + j) * points + i] =
        carrier::subtract(low, static_cast<std::uint64_t>(carries[item]) << 32);
  }
}

/// The end of Barrett's reduction, and ADD: out = a -+ b, rows of other lengths.
template <bool Subtract>
__global__ void combine(std::uint32_t* out, const std::uint32_t* a, std::size_t a_length, const std::uint32_t* b,
                        std::size_t b_length, const Modulus<std::uint32_t>* moduli, unsigned primes,
                        std::size_t degree) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x, row = blockIdx.y;
  if (i >= degree) return;
  const std::uint32_t x = a[row * a_length + i], y = b[row * b_length + i];
  const Modulus<std::uint32_t>& p = moduli[row % primes];
  out[row * degree + i] = Subtract ? p.subtract(x, y) : p.add(x, y);
}

/// Algorithm 4, a thread a coefficient and prime; inverses: of the last prime, modulo the others.
__global__ void divide_by_last(std::uint32_t* out, const std::uint32_t* in, const Modulus<std::uint32_t>* moduli,
                               const std::uint32_t* inverses, unsigned primes, std::size_t degree) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x, item = blockIdx.z;
  const unsigned j = blockIdx.y;
  if (i >= degree) return;
  const std::uint32_t* const from = in + item * primes * degree;
  const std::uint32_t dropped = from[(primes - 1) * degree + i];
  out[(item * (primes - 1) + j) * degree + i] = cyclotome::study::ltv::divided_residue(
      from[j * degree + i], cyclotome::study::ltv::even_remainder(dropped, moduli[primes - 1].value()), inverses[j],
      moduli[j]);
}

}  // namespace cyclotome::cuda::study
