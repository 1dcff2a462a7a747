// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/ring.hpp"
#include "cyclotome/rlwe/switching/level.hpp"

namespace cyclotome::bfv {

/// BEHZ S0 and S1 (spec 5.5): x over q to x + q r over B_sk with |x + q r| <= (q/2)(1 + 2k/m~).
///   S0: y = FastBConv(m~ x; q -> B_sk, m~);  S1: r = [-y q^-1]_m~ centred, out = (y + q r) / m~.
/// Both divisions by m~ and the product by q are folded into the conversions' factors.
class BehzLift {
 public:
  /// m~ >= 2 coprime to q and B_sk. Throws ParameterError otherwise.
  BehzLift(const RingPtr& q, const RingPtr& auxiliary, std::uint64_t m_tilde);

  RingPtr source, target, extended, correction_ring;  ///< q; B_sk; B_sk then m~; m~
  BaseConversion first;                               ///< q -> B_sk, m~
  BaseConversion correction;                          ///< m~ -> B_sk, centred
};

/// BEHZ S3 and S4 (spec 5.5): t x over q and B_sk to floor(t x / q) - e over q, 0 <= e < k.
///   S3: f = (t x - FastBConv([t x]_q; q -> B_sk)) q^-1 over B_sk;  S4: Shenoy-Kumaresan from B_sk = B, m_sk to q.
/// The last limb of `auxiliary` is m_sk. Exact iff m_sk >= 2 (|B| + |result| / B): `behz_auxiliary_basis` sizes B so.
class BehzScale {
 public:
  BehzScale(const RingPtr& q, const RingPtr& auxiliary, rlwe::PlainModulus plain_modulus);

  RingPtr source, auxiliary, joined, base, redundant, restored;  ///< q; B_sk; q then B_sk; B; m_sk; q then m_sk
  BaseConversion floor_term;                                     ///< q -> B_sk, fast, times -t q^-1
  std::vector<std::uint64_t> floor_factors;                      ///< t q^-1 mod b
  BaseConversion restore;                                        ///< B -> q, m_sk, fast
  BaseConversion excess;                                         ///< m_sk -> q, centred, times -B
};

/// BEHZ decryption (spec 5.4): round(t x / q) mod t from x over q, with an auxiliary word-sized gamma, gcd(gamma, t q)
/// = 1. Correct while the invariant noise stays below 1/2 - k/gamma.
class PlainScale {
 public:
  PlainScale(const RingPtr& q, const RingPtr& plain, std::uint64_t gamma);

  RingPtr source, plain, extended, gamma_ring;  ///< q; t; t then gamma; gamma
  BaseConversion scale;                         ///< q -> t, gamma, fast, times t gamma and -q^-1
  BaseConversion correction;                    ///< gamma -> t, centred, times -gamma^-1
};

/// The auxiliary basis B_sk (l primes, then m_sk) for BEHZ products over q with plaintext modulus t: primes of
/// the word's widest transform class, none in `excluded`, as many as spec 5.5 (A) and (B) ask for with these exact
/// integers. `terms` products may be summed before scaling.
Basis behz_auxiliary_basis(const Basis& q, const RingShape& shape, rlwe::PlainModulus largest_plain_modulus,
                           std::uint64_t m_tilde, const std::vector<std::uint64_t>& excluded, std::size_t terms = 1);

/// True if `auxiliary` (last limb m_sk) satisfies (A) and (B) of spec 5.5, with the ring's expansion factor delta where
/// the page has n, which is that of x^n + 1.
bool behz_auxiliary_suffices(const Basis& q, const Basis& auxiliary, std::uint64_t expansion,
                             rlwe::PlainModulus plain_modulus, std::uint64_t m_tilde, std::size_t terms = 1);

/// The m~ of a word: 2^16 for 32-bit words, 2^32 for 64-bit words.
std::uint64_t behz_m_tilde(Word word) noexcept;

}  // namespace cyclotome::bfv
