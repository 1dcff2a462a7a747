// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/value/layout/integers.hpp"

// Integers modulo each of several plaintext moduli, and back. None of it branches on values.
namespace cyclotome::value {

using Residues = ZeroisingVector<std::int64_t>;

/// value modulo t, in (-t/2, t/2].
inline std::int64_t centred_residue(std::int64_t value, const Modulus<std::uint64_t>& t) noexcept {
  const std::uint64_t residue = t.reduce_signed(value);
  const std::uint64_t above = std::uint64_t{0} - static_cast<std::uint64_t>(residue > t.value() - residue);
  return static_cast<std::int64_t>(residue - (t.value() & above));
}
/// Value number i modulo t, in (-t/2, t/2].
std::int64_t centred_residue(const Integers& values, std::size_t i, const Modulus<std::uint64_t>& t);
/// The same of all values.
Residues centred_residues(const Integers& values, const Modulus<std::uint64_t>& t);

/// The integers modulo T = t_1 ... t_r from their residues, by Garner's algorithm (Chinese remainders).
class Remainders {
 public:
  /// moduli: pairwise coprime, below 2^61.
  explicit Remainders(std::span<const std::uint64_t> moduli);

  /// channels: for each modulus equally many residues, from -t to t - 1. wrap: representatives in [0, T), else in
  /// (-T/2, T/2]. narrow: one word for each value, if all fit.
  Integers combine(const std::vector<Residues>& channels, const Shape& shape, bool wrap, bool narrow = false) const;

 private:
  std::vector<Modulus<std::uint64_t>> moduli_;
  std::vector<std::vector<std::uint64_t>> weights_;  // [i][j] = t_1 ... t_(j-1) mod t_i
  std::vector<std::uint64_t> inverses_;              // of t_1 ... t_(i-1) modulo t_i
  std::vector<BigUnsigned> products_;                // t_1 ... t_(i-1)
  BigUnsigned total_;
};

}  // namespace cyclotome::value
