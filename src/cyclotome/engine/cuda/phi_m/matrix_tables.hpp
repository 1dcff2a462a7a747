// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/engine/cuda/conversion/byte_matrix.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/prime_factor_tables.hpp"

// The transform over Phi_m, m = 17 257 d with d | 15, as five layers of small matrices (matrix_transform.hpp).
namespace cyclotome::cuda {

/// Exponents of the factors 3 and 5 of m: 1, 2, 4 or 8 for d = 1, 3, 5, 15. None for other m.
inline std::optional<unsigned> matrix_rows(const CyclotomicIndex& index) {
  unsigned rows = 1, large = 0;
  for (const auto& axis : index.axes()) {
    if (axis.prime == 17 || axis.prime == 257) {
      ++large;
    } else if (axis.prime == 3 || axis.prime == 5) {
      rows *= static_cast<unsigned>(axis.length());
    } else {
      return std::nullopt;
    }
  }
  return large == 2 ? std::optional(rows) : std::nullopt;
}

/// One limb's matrices in one direction, [byte] first; circulant ones by the difference of the indices.
struct alignas(16) MatrixTables {
  std::uint32_t along_17[4][16];       ///< result - term
  std::uint32_t along_small[4][8][8];  ///< along 3, 5 and as much of 17 as fills 8, where it is the identity
  std::uint32_t roots[4][16];          ///< theta^i, theta of order 16
  std::uint32_t blocks[16][4][32];     ///< modulo z^16 - theta^k: result - term + 15
  ByteSums sums;
  std::uint32_t unused;
};

namespace detail {

/// Along a factor p: the kernel of the transform, omega^(g^d), or of its inverse, (omega^(-g^-d) - 1)/p.
inline std::vector<std::uint32_t> axis_kernel(const PrimeFactorTables<std::uint32_t>& tables, std::size_t axis,
                                              bool inverse) {
  const auto& a = tables.index->axes()[axis];
  const Modulus<std::uint32_t>& q = tables.modulus;
  const std::uint32_t omega = q.power(tables.root, a.unit);
  const auto scale = static_cast<std::uint32_t>(inverse_or_zero(a.prime % q.value(), q.value()));
  std::vector<std::uint32_t> kernel(a.length());
  for (std::size_t d = 0; d < a.length(); ++d) {
    const std::uint64_t opposite = a.prime - a.powers[(a.length() - d) % a.length()];
    kernel[d] = inverse ? q.multiply(scale, q.subtract(q.power(omega, opposite), 1)) : q.power(omega, a.powers[d]);
  }
  return kernel;
}

inline void fill_blocks(MatrixTables& made, const std::vector<std::uint32_t>& kernel, std::uint32_t theta,
                        const Modulus<std::uint32_t>& q) {
  const auto scale = static_cast<std::uint32_t>(inverse_or_zero(16, q.value()));
  for (unsigned k = 0; k < 16; ++k) {
    const std::uint32_t rho = q.power(theta, k);
    for (unsigned i = 0; i < 16; ++i) {
      std::uint32_t sum = 0;  // Horner's rule
      for (unsigned high = 16; high-- > 0;) sum = q.add(q.multiply(sum, rho), kernel[16 * high + i]);
      sum = q.multiply(sum, scale);
      const PackedEntry plain = packed_entry(sum, q), wrapped = packed_entry(q.multiply(sum, rho), q);
      for (unsigned c = 0; c < 4; ++c) {
        made.blocks[k][c][i + 15] = plain[c];
        if (i > 0) made.blocks[k][c][i - 1] = wrapped[c];
      }
    }
  }
}

}  // namespace detail

/// Of a ring that matrix_rows knows.
inline MatrixTables matrix_tables(const PrimeFactorTables<std::uint32_t>& tables, bool inverse) {
  const Modulus<std::uint32_t>& q = tables.modulus;
  MatrixTables made{};
  made.sums = byte_sums(q.value());
  const auto theta = static_cast<std::uint32_t>(minimal_primitive_root(16, q.value()));
  std::vector<std::uint32_t> small{1};  // along 5 and 3: a circulant matrix of each, by [result][term]
  std::size_t rows = 1;
  const auto put = [&](auto& into, unsigned i, std::uint32_t entry) {
    const PackedEntry packed = packed_entry(entry, q);
    for (unsigned c = 0; c < 4; ++c) into[c][i] = packed[c];
  };
  for (std::size_t a = tables.index->axes().size(); a-- > 0;) {  // 5 lies below 3
    const std::uint64_t prime = tables.index->axes()[a].prime;
    const std::vector<std::uint32_t> kernel = detail::axis_kernel(tables, a, inverse);
    if (prime == 257) {
      detail::fill_blocks(made, kernel, theta, q);
    } else if (prime == 17) {
      for (unsigned i = 0; i < 16; ++i) put(made.along_17, i, kernel[i]);
    } else {
      const std::size_t length = kernel.size(), all = rows * length;
      std::vector<std::uint32_t> both(all * all);
      for (std::size_t i = 0; i < all; ++i) {
        for (std::size_t j = 0; j < all; ++j) {
          both[i * all + j] =
              q.multiply(small[i % rows * rows + j % rows], kernel[(i / rows + length - j / rows) % length]);
        }
      }
      small = std::move(both);
      rows = all;
    }
  }
  for (unsigned i = 0; i < 16; ++i) put(made.roots, i, q.power(theta, i));
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned j = 0; j < 8; ++j) {
      const PackedEntry packed = packed_entry(i / rows == j / rows ? small[i % rows * rows + j % rows] : 0, q);
      for (unsigned c = 0; c < 4; ++c) made.along_small[c][i][j] = packed[c];
    }
  }
  return made;
}

}  // namespace cyclotome::cuda
