// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cyclotome/math/shoup.hpp"
#include "cyclotome/ring/tables/cyclotomic_index.hpp"
#include "cyclotome/ring/transform.hpp"

namespace cyclotome {

/// Roots and kernel of a convolution in arrays of their own, as code reads them that goes along one line: of a line
/// that is split into single factors, in heap order from entry 1 (node 2^t + k: splits[2^t - 1 + k]).
template <LimbWord W>
struct LineTables {
  std::vector<W> splits, split_quotients, merges, merge_quotients;
  std::vector<W> kernel, kernel_quotients;  ///< by position
};

/// A cyclic convolution of length N with a fixed kernel, as one of length 2^L: N itself, or at least 2N - 1 and then
/// the first N results of what was padded with zeros. x^(2^L) - 1 is split into 2^depth factors x^block - rho as far as
/// the prime has roots; in each, a product with a block of the kernel's.
template <LimbWord W>
struct FixedConvolution {
  std::size_t length, padded, block;
  unsigned depth;
  /// Splitting and merging at node k of level t: entry 2^t - 1 + k. x^h - r^2 -> x^(h/2) - r, x^(h/2) + r. The factors
  /// at k = 0 are 1.
  std::vector<ShoupFactor<W>> splits, merges;
  /// [2^depth][2 block]: the kernel modulo x^block - rho_k, divided by 2^depth, and rho_k times that.
  std::vector<W> kernel;
  std::vector<ShoupFactor<W>> factors;  ///< where blocks are single factors: the kernel
  std::vector<W> toeplitz;              ///< for 32-bit words and blocks of 4 and more: [2^depth][toeplitz_words(block)]
  std::shared_ptr<const LineTables<W>> as_line;  ///< where `goes_along_lines`
};

/// How many factors a convolution may be left with in one block: sums of as many products fit the double word.
inline constexpr std::size_t largest_convolution_block = 16;

/// A product with a block of 4, 8 or 16 is one with a Toeplitz matrix; larger matrices are taken apart by steps of
/// Karatsuba's kind: [T0 T2; T1 T0] (x0, x1) = (T0 (x0 + x1) + (T2 - T0) x1, T0 (x0 + x1) + (T1 - T0) x0). What is left
/// are 1, 3 or 9 matrices of 4, each as its 7 diagonals from the upper right corner down, in the order T0, T2 - T0,
/// T1 - T0 of every step.
constexpr std::size_t toeplitz_words(std::size_t block) noexcept {
  return block == 4 ? 7 : 3 * toeplitz_words(block / 2);
}
/// Below this, 36 q^2 + 2^32 q < 2^64, and the diagonals are multiplied by 2^32, for Montgomery's reduction.
inline constexpr std::uint64_t max_toeplitz_modulus = 658000000;
static_assert(36 * max_toeplitz_modulus < ~std::uint64_t{0} / max_toeplitz_modulus - (std::uint64_t{1} << 32));

/// Convolutions are worked on by columns, a vector of lines at a time; or along lines where there are few.
inline constexpr std::size_t fewest_columns = 8;
/// Residues of the widest vector, to which scratch is made; and what a block takes beside them.
inline constexpr std::size_t widest_column = 16;
inline constexpr std::size_t block_scratch_bytes = 5120;

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
  /// Where m is 257 times some of 3, 5, 17: the products of the kernels of these, row-major; else empty. One product
  /// does for all of them, between splitting along each axis and merging.
  std::vector<ShoupFactor<W>> joint_to_transform, joint_to_coefficients;
};

/// What primes must be 1 modulo: m, and powers of two so that blocks are short enough.
std::uint64_t prime_factor_step(const CyclotomicIndex& index);

}  // namespace cyclotome
