// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cyclotome {

/// The units modulo an odd squarefree m = p_1 ... p_k as exponents: u = (g_1^e_1 mod p_1, ..., g_k^e_k mod p_k), g_i
/// the least primitive root of p_i, 0 <= e_i < p_i - 1. Coefficients and values of a transform over Phi_m are both
/// numbered so (cyclotomic_ring.cpp), and both lie in memory, of every engine and in files, at place(e) = sum of
/// offsets_i[e_i]: the storage order. That is row-major with the last exponent fastest; but a factor 257 has
/// e = 16 hi + lo split, hi slowest of all and lo fastest. For m = 65535 = 3 5 17 257, place = lo + 16 (e17 + 16 (e5 +
/// 4 e3)) + 2048 hi; for 21845, without e3, lo + 16 (e17 + 16 e5) + 1024 hi.
class CyclotomicIndex {
 public:
  struct Axis {
    std::uint64_t prime;
    std::uint64_t unit;                  ///< 1 modulo the prime, 0 modulo the others
    std::uint64_t generator;             ///< the unit modulo m that is g_i modulo the prime, 1 modulo the others
    std::vector<std::uint32_t> powers;   ///< g_i^e
    std::vector<std::uint32_t> logs;     ///< by residue; of 0: not used
    std::vector<std::uint32_t> offsets;  ///< by e
    std::vector<std::uint32_t> starts;   ///< all places with e_i = 0
    std::size_t length() const noexcept { return prime - 1; }
  };

  /// Throws ParameterError unless m is odd, squarefree and in [3, most].
  CyclotomicIndex(std::uint64_t m, std::uint64_t most);

  std::uint64_t index() const noexcept { return index_; }
  std::size_t degree() const noexcept { return degree_; }
  /// By ascending primes.
  const std::vector<Axis>& axes() const noexcept { return axes_; }
  /// Where a unit's exponents are.
  std::uint32_t place(std::uint64_t unit) const noexcept;
  /// By place: that of the unit there times `factor`, a unit.
  std::vector<std::uint32_t> shifted(std::uint64_t factor) const;

 private:
  void set_offsets();

  std::uint64_t index_;
  std::size_t degree_ = 1;
  std::vector<Axis> axes_;
};

}  // namespace cyclotome
