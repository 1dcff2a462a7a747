// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "cyclotome/ring/conversion/divide_and_round.hpp"

namespace cyclotome::rlwe {

/// Constants of the way from some first primes to fewer, and back: c becomes round(c / D), D the product of the primes
/// that go, and later c D. For schemes whose messages stand in the high part of a phase (Scheme::raises_levels).
struct LevelSwitch {
  /// q: the primes that a ciphertext has; from: of how many first ones it was raised, so that its residues modulo the
  /// others are 0, or all of q; to: how many are to stay, at least 1 and fewer than q has.
  LevelSwitch(const RingPtr& q, std::size_t from, std::size_t to);

  std::optional<DivideAndRound> drop;  ///< from the first `from` primes to `to`; nothing where these are not fewer
  std::vector<std::uint64_t> exact;    ///< else 1 / D modulo each of the first `from` primes
  std::vector<std::uint64_t> raise;    ///< D modulo each of the first `to` primes
};

}  // namespace cyclotome::rlwe
