// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/rlwe/switching/level.hpp"

namespace cyclotome::bfv {

/// The product of Halevi, Polyakov and Shoup in the form of Kim, Polyakov and Zucca (2021), "HPS over Q"
/// (specification 5.6): the first factor is extended from q to q p, the second is replaced by round(p y / q) in q p,
/// and round(t x y' / p) lands in q. All lifts are exact and centred, with fixed-point quotients, so that every engine
/// finds the same bits. p is about as long as q: a product that wraps q p is off by a multiple of t q.
class HpsProduct {
 public:
  /// p: coprime to q and t.
  HpsProduct(const RingPtr& q, const RingPtr& p, rlwe::PlainModulus plain_modulus);

  RingPtr ciphertext_ring, auxiliary_ring, product_ring;  ///< q; p; q then p
  BaseConversion extend;                                  ///< q -> p: x
  BaseConversion exchange;                                ///< q -> p: round(p y / q) = -[p y]_q q^-1
  BaseConversion restore;                                 ///< p -> q: of that
  DivideAndRound scale;                                   ///< q p -> q: round(t d / p)
};

/// How many bits p is longer than q: it keeps the error of rounding p y / q below a fresh ciphertext's noise.
inline constexpr unsigned hps_margin = 4;

/// Primes for p: as few of the widest class that suits q's own primes (50 bits if they all fit, else 61; 30 in 32-bit
/// words) as make p at least 2^hps_margin q, none in `excluded`.
Basis hps_auxiliary_basis(const Basis& q, const RingShape& shape, const std::vector<std::uint64_t>& excluded);

/// How many first primes of `p` suffice for `q`. Throws ParameterError if all are too few.
std::size_t hps_auxiliary_limbs(const Basis& q, const Basis& p);

}  // namespace cyclotome::bfv
