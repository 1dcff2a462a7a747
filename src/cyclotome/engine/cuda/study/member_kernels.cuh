// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/polynomials/carrier.hpp"
#include "cyclotome/study/ltv/polynomials/residue_number.hpp"

// LTV's operations on polynomials that lie anywhere: their addresses are a kernel's argument, so that nothing is copied
// together first. Blocks are of one polynomial and prime.
namespace cyclotome::cuda::study {

/// A launch names so many polynomials at most: what fits the 4096 bytes of a kernel's arguments.
inline constexpr std::size_t most_members = 440;

template <class T>
struct Places {
  const T* at[most_members];
};

struct Flags {
  std::uint64_t words[(most_members + 63) / 64];
  __device__ bool operator[](unsigned i) const { return (words[i / 64] >> (i % 64) & 1) != 0; }
};

/// Rows of residues of polynomials, zeros behind them: what a transform reads.
struct MemberSource {
  Places<std::uint32_t> places;
  std::uint64_t primes, degree;
  __device__ std::uint64_t operator()(std::size_t row, std::size_t i) const {
    return i < degree ? places.at[row / primes][row % primes * degree + i] : 0;
  }
};

/// Products of transforms of polynomials 2k and 2k + 1, in the order of an inverse transform.
struct PairSource {
  Places<std::uint64_t> places;
  std::uint64_t primes, points;
  __device__ std::uint64_t operator()(std::size_t row, std::size_t i) const {
    const std::size_t item = row / primes, at = row % primes * points + (i == 0 ? 0 : points - i);
    return cyclotome::study::ltv::carrier::multiply(places.at[2 * item][at], places.at[2 * item + 1][at]);
  }
};

/// out = sum of `group` polynomials each, plus 1 where it is flagged. Grid: coefficients, primes, results.
__global__ void __launch_bounds__(128)
    sum_members(std::uint32_t* out, const __grid_constant__ Places<std::uint32_t> places,
                const __grid_constant__ Flags ones, unsigned group, const Modulus<std::uint32_t>* moduli,
                std::size_t degree) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  const unsigned j = blockIdx.y, item = blockIdx.z;
  if (i >= degree) return;
  const Modulus<std::uint32_t> p = moduli[j];
  std::uint32_t sum = i == 0 && ones[item] ? 1 : 0;
  for (unsigned k = 0; k < group; ++k) sum = p.add(sum, places.at[item * group + k][j * degree + i]);
  out[(static_cast<std::size_t>(item) * gridDim.y + j) * degree + i] = sum;
}

/// One prime less: Algorithm 4 where it is flagged, else as they are. Grid: coefficients, primes that stay,
/// polynomials.
__global__ void __launch_bounds__(128)
    lower_members(std::uint32_t* out, const std::uint32_t* in, const __grid_constant__ Flags divided,
                  const Modulus<std::uint32_t>* moduli, const std::uint32_t* inverses, std::size_t degree) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x, item = blockIdx.z;
  const unsigned j = blockIdx.y, last = gridDim.y;
  if (i >= degree) return;
  const std::uint32_t* const from = in + item * (last + 1) * degree;
  std::uint32_t x = from[j * degree + i];
  if (divided[blockIdx.z]) {
    const std::int32_t delta = cyclotome::study::ltv::even_remainder(from[last * degree + i], moduli[last].value());
    x = cyclotome::study::ltv::divided_residue(x, delta, inverses[j], moduli[j]);
  }
  out[(item * last + j) * degree + i] = x;
}

}  // namespace cyclotome::cuda::study
