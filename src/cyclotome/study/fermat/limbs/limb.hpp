// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "cyclotome/ring/conversion/big_unsigned.hpp"

namespace cyclotome::study::fermat {

/// One factor of q = 2^g - 1: the modulus 2^bits + 1 or 2^bits - 1. Residues are little-endian 64-bit words; 2^bits is
/// a residue modulo 2^bits + 1, so 2^64 + 1 takes two words (erratum 003-7).
struct Limb {
  unsigned bits;           ///< G, a power of two
  bool plus;               ///< 2^G + 1, else 2^G - 1
  unsigned shift;          ///< (q/q_i)^-1 = 2^(G - shift) mod q_i: Lemma 2 as erratum 003-1 corrects it
  std::size_t first_word;  ///< where its words begin among those of all limbs
  std::size_t words;       ///< of a residue

  /// log2 of (q/q_i)^-1.
  unsigned exponent() const noexcept { return bits - shift; }
  /// Whether residues fill their words, up to the top one of 2^G: else the modulus is below 2^33.
  bool aligned() const noexcept { return bits % 64 == 0; }
  BigUnsigned modulus() const;
};

}  // namespace cyclotome::study::fermat
