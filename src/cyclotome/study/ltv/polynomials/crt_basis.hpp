// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/ring/conversion/big_unsigned.hpp"
#include "cyclotome/study/ltv/polynomials/residue_number.hpp"

namespace cyclotome::study::ltv {

/// The primes p_0 ... p_(d-1) and what conversions need at every level: level i computes modulo q_i = p_0 ... p_(d-i-1)
/// (erratum 002-6), so that q_(i+1) divides q_i and keys of level 0 serve all levels. Immutable.
class CrtBasis {
 public:
  /// Throws ParameterError unless there are 1 to 64 odd primes below 2^30, distinct and prime.
  explicit CrtBasis(const std::vector<std::uint64_t>& primes);

  std::size_t size() const noexcept { return moduli_.size(); }
  const Modulus<std::uint32_t>& modulus(std::size_t j) const noexcept { return moduli_[j]; }
  std::uint32_t prime(std::size_t j) const noexcept { return moduli_[j].value(); }
  std::uint32_t largest() const noexcept { return largest_; }

  /// Of the product of the first `primes`: 1 to size().
  LevelConstants constants(std::size_t primes) const;
  const BigUnsigned& product(std::size_t primes) const noexcept { return levels_[primes - 1].product; }
  /// Bits of q, and its 32-bit words.
  unsigned bits(std::size_t primes) const noexcept { return product(primes).bit_length(); }
  unsigned words(std::size_t primes) const noexcept { return (bits(primes) + 31) / 32; }
  /// p_k^-1 mod p_j, j < k.
  std::uint32_t inverse(std::size_t k, std::size_t j) const noexcept { return prime_inverses_[k * (k - 1) / 2 + j]; }

  /// Bytes of constants at all levels, as they lie in memory: q_i, Q*_i, Q+_i, and P^-1.
  struct Bytes {
    std::size_t primes, products, cofactors, inverses, prime_inverses;
  };
  /// products ... inverses: of the level that computes modulo so many primes.
  Bytes bytes(std::size_t primes) const noexcept;

 private:
  struct Level {
    BigUnsigned product;
    std::vector<std::uint32_t> words, cofactors, inverses;
  };

  std::vector<Modulus<std::uint32_t>> moduli_;
  std::vector<std::uint64_t> reciprocals_;
  std::vector<Level> levels_;  // by number of primes, from 1
  std::vector<std::uint32_t> prime_inverses_;
  std::uint32_t largest_ = 0;
};

}  // namespace cyclotome::study::ltv
