// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/ring/randomness/seed.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"

// Sparse secrets, by a table: ternary with exactly `weight` coefficients other than 0. Usual secrets have some two
// thirds of them; attacks that guess gain on these, so that a key under one may only be over a short modulus.
namespace cyclotome::rlwe {

/// A row of the table: at this degree a secret of this weight serves keys over at most so many bits. Costs are log2 of
/// operations by tools/estimate_sparse_secrets.py (doc/security.md has the table with its date).
struct SparseSecretRow {
  std::size_t degree;
  unsigned weight;
  unsigned modulus_bits;
  unsigned convention;  ///< best attack by the usual conventions: one instance of LWE
  unsigned ring;        ///< if the attacker uses that all rotations of a sample share a lattice and lists
  unsigned floor;       ///< if he is given every constant for nothing
};

/// What a row must reach: 8 bits above 128 for what models leave out, and 120 whatever is given away.
inline constexpr unsigned least_ring_cost = 136, least_floor_cost = 120;

/// All rows.
std::span<const SparseSecretRow> sparse_secret_rows() noexcept;

/// Weight of the secrets that test parameters below the table's security have, which must say allow_insecure.
inline constexpr unsigned insecure_sparse_weight = 32;
/// The smallest degree of such parameters: the weight must stay far below it.
inline constexpr std::size_t least_sparse_degree = 256;

/// The smallest weight that a sparse secret of these parameters may have, for a key over their first ciphertext prime
/// and first special prime. Throws UnsupportedError for a ring other than x^n + 1, without special primes and for joint
/// keys; SecurityError where no row allows it: for degrees and primes beyond the table, and for more than 128 bits.
unsigned sparse_secret_weight(const Parameters& parameters);

/// n coefficients with `weight` of them +1 or -1, at uniform places with uniform signs. Constant time, in locked
/// memory.
ZeroisingVector<std::int8_t> draw_sparse_secret(std::size_t degree, unsigned weight, const Seed& seed);

}  // namespace cyclotome::rlwe
