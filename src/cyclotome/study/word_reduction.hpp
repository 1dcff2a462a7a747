// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cyclotome/math/modulus.hpp"

// Ways to reduce 62-bit integers modulo a prime of 30 bits: paper 000's Table 1.
namespace cyclotome::study {

enum class WordReduction : std::uint8_t {
  division,  ///< the machine's %
  nfllib,    ///< Aguilar-Melchor et al. 2016 (NFLlib), Algorithm 2
  barrett,   ///< this library's: Modulus::reduce_wide
};

inline constexpr WordReduction word_reductions[] = {WordReduction::division, WordReduction::nfllib,
                                                    WordReduction::barrett};

constexpr const char* name_of(WordReduction how) noexcept {
  constexpr const char* names[] = {"division", "nfllib", "barrett"};
  return names[static_cast<std::size_t>(how)];
}

/// A prime with 2^32/(2^s + 1) < p < 2^(32 - s), s = 2 here, and v = floor(2^64/p) modulo 2^32, as NFLlib's Algorithm 2
/// has them.
struct ReducedPrime {
  std::uint32_t value, ratio;
  Modulus<std::uint32_t> modulus;

  constexpr explicit ReducedPrime(std::uint32_t p)
      : value(p), ratio(static_cast<std::uint32_t>(~std::uint64_t{0} / p)), modulus(p) {}

  /// What the algorithm asks of a prime.
  static constexpr bool suits(std::uint64_t p) noexcept {
    return p > (std::uint64_t{1} << 32) / 5 && p < std::uint64_t{1} << 30 && p % 2 == 1;
  }
};

/// x < 2^62 -> [0, p).
template <WordReduction How>
CYCLOTOME_HD constexpr std::uint32_t reduced(std::uint64_t x, const ReducedPrime& p) noexcept {
  if constexpr (How == WordReduction::division) {
    return static_cast<std::uint32_t>(x % p.value);
  } else if constexpr (How == WordReduction::nfllib) {
    // The estimate is at most 0.61 + 1 below x/p, for u1 < 2^30 and u0 < 2^32: one subtraction is enough.
    const std::uint64_t quotient = (x >> 32) * p.ratio + (x << 2);
    const auto rest = static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(quotient >> 32) * p.value;
    return rest >= p.value ? rest - p.value : rest;
  } else {
    return p.modulus.reduce_wide(x);
  }
}

}  // namespace cyclotome::study
