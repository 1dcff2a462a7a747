// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "cyclotome/rlwe/parameters/parameters.hpp"

// How many special primes, and with them how many digits, key switching gets: more of them mean fewer digits, smaller
// keys and less work, until their own length costs more than it saves or security forbids it.
namespace cyclotome::scheme {

/// Primes of q are at most this wide: 50-bit ones suit AVX-512 IFMA and the FP64 pipe of GPUs.
constexpr unsigned widest_prime(Word word) { return word == Word::u32 ? 30 : 50; }

/// The narrowest primes with a transform that there are enough of.
unsigned narrowest_prime(const RingShape& ring);

/// Relative cost of multiply + relinearise, by a model: transforms (log2 n butterflies a coefficient) and terms of base
/// conversions, limb by limb; a 32-bit limb costs half a 64-bit one.
double cost(const rlwe::Parameters& parameters);

/// How many special primes are tried. Up to n = 2^15 security leaves room for hardly more than 8 of 30 bits; from 2^16
/// on a long q has so many primes that more of them pay.
constexpr std::size_t most_special_primes(std::size_t degree) { return degree < 65536 ? 8 : 24; }

/// Like `base`, with ciphertext primes of `bits` bits in all: as few as possible and `further` more, about equally
/// wide. There are `special` special primes, as wide as the widest of them, and the fewest digits that these allow.
/// Nothing if there are too few primes of these widths, or if security forbids it. The product may lack a bit or two.
std::optional<rlwe::Parameters> with_special_primes(const rlwe::ParametersLiteral& base, unsigned bits,
                                                    std::size_t special, std::size_t further = 0);

/// The cheapest number of special primes of those that are tried; nothing if security allows none.
std::optional<rlwe::Parameters> cheapest_special_primes(const rlwe::ParametersLiteral& base, unsigned bits);

/// The cheapest of those whose product has at least `bits` bits. Up to 4 more ciphertext primes than needed are tried:
/// where room for special primes is short, narrower primes can leave room for one more, which may halve the digits.
std::optional<rlwe::Parameters> cheapest_primes(const rlwe::ParametersLiteral& base, unsigned bits);

/// One way to switch keys under given ciphertext primes.
struct KeySwitchChoice {
  rlwe::Parameters parameters;
  double relative_cost;  ///< of multiply + relinearise; 1 for the parameters that were asked about
  double headroom;       ///< bits of noise headroom after one product, relinearised, or one rotation without products
  bool allowed;          ///< by the security that the parameters demand
  bool chosen;           ///< these are the parameters that were asked about
};

/// What there was to choose from with these ciphertext primes: no special prime to as many as are tried (no more than
/// there are ciphertext primes), each with the fewest digits, and the parameters themselves in their place. Numbers
/// that there are no primes for are left out.
std::vector<KeySwitchChoice> key_switch_choices(const rlwe::Parameters& parameters);

}  // namespace cyclotome::scheme
