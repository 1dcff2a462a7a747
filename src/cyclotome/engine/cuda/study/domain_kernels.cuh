// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/polynomials/carrier.hpp"
#include "cyclotome/study/ltv/polynomials/residue_number.hpp"

// Paper 002's operations between and in its domains, but for transforms. Threads are coefficients or points.
namespace cyclotome::cuda::study {

using cyclotome::study::ltv::LevelConstants;
namespace carrier = cyclotome::study::ltv::carrier;

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

/// A sum of products of 64 bits each: 160 bits, enough for 2^32 of them.
struct WideSum {
  std::uint64_t low = 0, high = 0;
  std::uint32_t top = 0;

  __device__ void add_product(std::uint64_t a, std::uint64_t b) {
    asm("{\n\t.reg .u64 l, h;\n\tmul.lo.u64 l, %3, %4;\n\tmul.hi.u64 h, %3, %4;\n\tadd.cc.u64 %0, %0, l;\n\t"
        "addc.cc.u64 %1, %1, h;\n\taddc.u32 %2, %2, 0;\n\t}"
        : "+l"(low), "+l"(high), "+r"(top)
        : "l"(a), "l"(b));
  }
  /// Modulo P, where 2^128 = -2^32.
  __device__ std::uint64_t reduced() const {
    return carrier::subtract(carrier::reduce(high, low), static_cast<std::uint64_t>(top) << 32);
  }
};

/// MULADD of relinearisation: sum over digits of digit times key, for `Items` polynomials and `Rows` primes, so that a
/// word of the key serves that many polynomials, and one of a digit that many primes. Blocks of neighbours in the grid
/// have the same points.
template <unsigned Items, unsigned Rows>
__global__ void __launch_bounds__(128)
    key_products(std::uint64_t* out, const std::uint64_t* digits, const std::uint64_t* const* key, std::size_t points,
                 unsigned digit_count, unsigned primes, unsigned items) {
  const std::size_t i = blockIdx.z * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  const unsigned first_row = blockIdx.y * Rows, first = blockIdx.x * Items;
  WideSum sums[Items][Rows];
  for (unsigned t = 0; t < digit_count; ++t) {
    std::uint64_t factors[Rows];
#pragma unroll
    for (unsigned j = 0; j < Rows; ++j) {
      factors[j] = first_row + j < primes ? key[t][(first_row + j) * points + i] : 0;
    }
#pragma unroll
    for (unsigned item = 0; item < Items; ++item) {
      if (first + item >= items) break;
      const std::uint64_t digit = digits[(static_cast<std::size_t>(first + item) * digit_count + t) * points + i];
#pragma unroll
      for (unsigned j = 0; j < Rows; ++j) sums[item][j].add_product(digit, factors[j]);
    }
  }
#pragma unroll
  for (unsigned item = 0; item < Items; ++item) {
#pragma unroll
    for (unsigned j = 0; j < Rows; ++j) {
      if (first + item >= items || first_row + j >= primes) continue;
      out[(static_cast<std::size_t>(first + item) * primes + first_row + j) * points + i] = sums[item][j].reduced();
    }
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
