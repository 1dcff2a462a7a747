// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/modulus.hpp"

// Reduction modulo Phi_m, a product of (x^d - 1)^mu(m/d), as CyclotomicPolynomial::reduce does it: by a block for each
// polynomial and prime, in shared memory.
namespace cyclotome::cuda::study {

inline constexpr unsigned reduction_threads = 512;
inline constexpr unsigned most_divisors = 64;

/// The divisors d of m, with mu(m/d).
struct Divisors {
  std::uint32_t count, index;
  std::uint32_t values[most_divisors];
  std::int32_t signs[most_divisors];
};

/// x[i] -= x[i - d], from the last i down: what is read is still old.
__device__ inline void difference(std::uint32_t* x, unsigned length, unsigned d, const Modulus<std::uint32_t>& p) {
  for (unsigned end = length; end > d;) {
    const unsigned first = end - d > blockDim.x ? end - blockDim.x : d, i = first + threadIdx.x;
    const bool mine = i < end;
    const std::uint32_t value = mine ? p.subtract(x[i], x[i - d]) : 0;
    __syncthreads();
    if (mine) x[i] = value;
    end = first;
  }
  __syncthreads();
}

/// x[i] += x[i - d], from the first i up: for each i mod d a running sum, in parts of an odd number of steps, so that
/// threads meet different banks. totals: a word a thread.
__device__ inline void running_sum(std::uint32_t* x, unsigned length, unsigned d, std::uint32_t* totals,
                                   const Modulus<std::uint32_t>& p) {
  const unsigned steps = (length + d - 1) / d, parts = d >= blockDim.x ? 1 : blockDim.x / d,
                 each = ((steps + parts - 1) / parts) | 1;
  if (parts == 1) {
    for (unsigned c = threadIdx.x; c < d; c += blockDim.x) {
      std::uint32_t sum = 0;
      for (unsigned i = c; i < length; i += d) x[i] = sum = p.add(sum, x[i]);
    }
    __syncthreads();
    return;
  }
  const unsigned c = threadIdx.x % d, part = threadIdx.x / d;
  const bool works = part < parts;
  const unsigned first = c + d * part * each, end = min(length, d * (part + 1) * each);
  std::uint32_t sum = 0;
  if (works) {
    for (unsigned i = first; i < end; i += d) x[i] = sum = p.add(sum, x[i]);
  }
  totals[threadIdx.x] = sum;  // of part p and class c at p d + c
  __syncthreads();
  for (unsigned back = d; back < parts * d; back *= 2) {
    const std::uint32_t before = works && threadIdx.x >= back ? totals[threadIdx.x - back] : 0;
    __syncthreads();
    if (works) totals[threadIdx.x] = p.add(totals[threadIdx.x], before);
    __syncthreads();
  }
  if (works && part > 0) {
    const std::uint32_t before = totals[threadIdx.x - d];
    for (unsigned i = first; i < end; i += d) x[i] = p.add(x[i], before);
  }
  __syncthreads();
}

/// Multiplies by (1 - x^d)^sign as a power series.
__device__ inline void times_factor(std::uint32_t* x, unsigned length, unsigned d, bool divides, std::uint32_t* totals,
                                    const Modulus<std::uint32_t>& p) {
  if (d >= length) return;
  if (divides) {
    running_sum(x, length, d, totals, p);
  } else {
    difference(x, length, d, p);
  }
}

/// Each `group` rows of products, of `length` coefficients, added up and reduced. Grid: results times primes. Shared:
/// reduction_threads words, and the longer of n and m - n.
__global__ void __launch_bounds__(reduction_threads)
    reduce_cyclotomic(std::uint32_t* out, const std::uint32_t* products, unsigned length, unsigned group,
                      const Modulus<std::uint32_t>* moduli, unsigned primes, unsigned degree,
                      const __grid_constant__ Divisors divisors) {
  extern __shared__ std::uint32_t shared[];
  std::uint32_t *const totals = shared, *const x = shared + reduction_threads;
  const unsigned j = blockIdx.x % primes, m = divisors.index, quotient = min(m, length) - degree;
  const std::size_t item = blockIdx.x / primes;
  const Modulus<std::uint32_t> p = moduli[j];
  const std::uint32_t* const rows = products + (item * group * primes + j) * length;
  const auto folded = [&](unsigned i) {  // modulo x^m - 1
    std::uint32_t sum = 0;
    for (unsigned k = 0; k < group; ++k) {
      const std::uint32_t* const row = rows + static_cast<std::size_t>(k) * primes * length;
      sum = p.add(sum, row[i]);
      if (i + m < length) sum = p.add(sum, row[i + m]);
    }
    return sum;
  };
  // The quotient, from its highest coefficient down: a power series in 1/x over Phi_m.
  for (unsigned i = threadIdx.x; i < quotient; i += blockDim.x) x[i] = folded(degree + quotient - 1 - i);
  __syncthreads();
  for (unsigned k = 0; k < divisors.count; ++k) {
    times_factor(x, quotient, divisors.values[k], divisors.signs[k] > 0, totals, p);
  }
  // Turned round, and times Phi_m, as far as x^(n-1).
  for (unsigned i = threadIdx.x; i < quotient / 2; i += blockDim.x) {
    const std::uint32_t low = x[i];
    x[i] = x[quotient - 1 - i];
    x[quotient - 1 - i] = low;
  }
  for (unsigned i = quotient + threadIdx.x; i < degree; i += blockDim.x) x[i] = 0;
  __syncthreads();
  for (unsigned k = 0; k < divisors.count; ++k) {
    times_factor(x, degree, divisors.values[k], divisors.signs[k] < 0, totals, p);
  }
  std::uint32_t* const to = out + (item * primes + j) * degree;
  for (unsigned i = threadIdx.x; i < degree; i += blockDim.x) to[i] = p.subtract(folded(i), x[i]);
}

}  // namespace cyclotome::cuda::study
