// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cyclotome/math/shoup.hpp"
#include "cyclotome/ring/cyclotomic_index.hpp"
#include "cyclotome/ring/transform.hpp"

namespace cyclotome {

/// A cyclic convolution of length N with a fixed kernel, as one of length 2^L: N itself, or at least 2N - 1 and then
/// the first N results of what was padded with zeros. x^(2^L) - 1 is split into 2^depth factors x^block - rho as far as
/// the prime has roots; in each, a product with a block of the kernel's.
template <LimbWord W>
struct FixedConvolution {
  std::size_t length, padded, block;
  unsigned depth;
  /// Splitting and merging at node k of level t: entry 2^t - 1 + k. x^h - r^2 -> x^(h/2) - r, x^(h/2) + r.
  std::vector<ShoupFactor<W>> splits, merges;
  /// [2^depth][2 block]: the kernel modulo x^block - rho_k, divided by 2^depth, and rho_k times that.
  std::vector<W> kernel;
};

/// How many factors a convolution may be left with in one block: sums of as many products fit the double word.
inline constexpr std::size_t largest_convolution_block = 16;

/// Constants of the transform over Phi_m, m odd and squarefree, modulo one prime q = 1 mod prime_factor_step(m): one
/// convolution along each prime factor of m, which commute (Rader; cyclotomic_ring.cpp says why no twiddles are left).
template <LimbWord W>
struct PrimeFactorTables final : Transform {
  static constexpr Method own_method = Method::prime_factor;
  using Residue = W;

  PrimeFactorTables(std::shared_ptr<const CyclotomicIndex> index, W modulus);

  std::shared_ptr<const CyclotomicIndex> index;
  Modulus<W> modulus;
  W root;                                         ///< zeta: the power of the least number whose power has order m
  std::vector<FixedConvolution<W>> to_transform;  ///< by axis
  std::vector<FixedConvolution<W>> to_coefficients;
};

/// What primes must be 1 modulo: m, and powers of two so that blocks are short enough.
std::uint64_t prime_factor_step(const CyclotomicIndex& index);

}  // namespace cyclotome
