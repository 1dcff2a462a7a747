// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cyclotome/math/word.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome::study::ltv {

/// How a polynomial lies in memory (paper 002, table 2).
enum class Domain : std::uint8_t {
  raw,  ///< words[coefficient][word]: integers in [0, q), 32-bit words
  crt,  ///< words[prime][coefficient]: residues
  ntt   ///< values[prime][point]: transforms of the residues modulo P, 2n points (erratum 002-7)
};
/// "RAW", "CRT", "NTT".
std::string name_of(Domain domain);

/// A polynomial modulo q, the product of the first `primes` primes, in one of the domains. Wiped when it is freed, as
/// it may be a key. `Arithmetic` makes and takes them.
struct Polynomial {
  Domain domain = Domain::crt;
  std::size_t primes = 0;
  /// Coefficients: n, or 2n - 1 of a product that was not reduced yet. In NTT points.
  std::size_t length = 0;
  ZeroisingVector<std::uint32_t> words{};
  ZeroisingVector<std::uint64_t> values{};
  /// NTT only: one row of values stands for all primes, as a digit below every prime does.
  bool shared = false;
  /// NTT only: no coefficient of the integer polynomial whose transform this is exceeds it. Below P, or it would be
  /// lost.
  std::uint64_t largest = 0;

  std::size_t bytes() const noexcept { return words.size() * 4 + values.size() * 8; }
  const std::uint64_t* row(std::size_t j) const noexcept { return values.data() + (shared ? 0 : j * length); }
};

}  // namespace cyclotome::study::ltv
