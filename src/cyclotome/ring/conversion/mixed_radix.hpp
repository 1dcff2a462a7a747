// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/ring.hpp"

namespace cyclotome {

/// Garner's way from residues to integers (paper 000, Algorithm 4, erratum 000-6): x in [0, q) is
/// d_0 + d_1 q_0 + d_2 q_0 q_1 + ..., d_i in [0, q_i), and
///   d_i = (x_i - (d_0 + d_1 q_0 + ... + d_(i-1) q_0 ... q_(i-2))) (q_0 ... q_(i-1))^-1 mod q_i.
/// Digits compare as the integers do, from the last one down. Immutable.
class MixedRadix {
 public:
  /// Any ring: no modulus needs a transform. Throws ParameterError as Basis and BaseConversion do.
  explicit MixedRadix(const RingPtr& ring);

  /// What brings digit j out of the later limbs: x_i <- (x_i - d_j) q_j^-1 mod q_i for i > j.
  struct Step {
    RingPtr digit, rest;  ///< limb j, limbs j + 1 ... k - 1
    BaseConversion into_rest;
    std::vector<std::uint64_t> inverses;  ///< q_j^-1 mod q_i
  };

  RingPtr ring;
  std::vector<Step> steps;              ///< k - 1 of them
  std::vector<std::uint64_t> weights;   ///< [i (i - 1)/2 + j]: q_0 ... q_(j-1) mod q_i, j < i
  std::vector<std::uint64_t> inverses;  ///< [i]: (q_0 ... q_(i-1))^-1 mod q_i
  std::vector<std::uint32_t> sizes;     ///< [i]: 64-bit words that hold q_i ... q_(k-1)

  /// 64-bit words that hold any integer below q.
  std::size_t words() const noexcept { return sizes.front(); }
};

/// The integer of `count` mixed-radix digits by Horner's rule, little-endian into sizes[0] 64-bit words; digit i at
/// digits[i * digit_stride], word w at words[w * word_stride]. How long a number gets depends on the moduli alone, not
/// on its value (erratum 000-7).
template <LimbWord W>
CYCLOTOME_HD constexpr void compose_digits(const W* digits, std::size_t digit_stride, const Modulus<W>* moduli,
                                           const std::uint32_t* sizes, std::size_t count, std::uint64_t* words,
                                           std::size_t word_stride) noexcept {
  std::uint32_t used = 0;
  for (std::size_t i = count; i-- > 0;) {
    std::uint64_t carry = digits[i * digit_stride];
    for (std::uint32_t w = 0; w < used; ++w) {
      const u128 value = static_cast<u128>(words[w * word_stride]) * moduli[i].value() + carry;
      words[w * word_stride] = static_cast<std::uint64_t>(value);
      carry = static_cast<std::uint64_t>(value >> 64);
    }
    for (; used < sizes[i]; ++used, carry = 0) words[used * word_stride] = carry;
  }
}

/// residue 2^64 + word modulo q: a step of Horner's rule. residue in [0, q) -> [0, q), any word.
template <LimbWord W>
CYCLOTOME_HD constexpr W residue_with_word(W residue, std::uint64_t word, const Modulus<W>& q) noexcept {
  if constexpr (sizeof(W) == 4) {
    residue = q.reduce_wide((static_cast<std::uint64_t>(residue) << 32) | (word >> 32));
    return q.reduce_wide((static_cast<std::uint64_t>(residue) << 32) | (word & 0xffffffff));
  } else {
    return q.reduce_wide((static_cast<u128>(residue) << 64) | word);
  }
}

/// The residue of the integer of `count` little-endian 64-bit words, word w at words[w * word_stride], by Horner's
/// rule. Any integer; nothing depends on its value but the residue.
template <LimbWord W>
CYCLOTOME_HD constexpr W residue_of_words(const std::uint64_t* words, std::size_t word_stride, std::size_t count,
                                          const Modulus<W>& q) noexcept {
  W residue = 0;
  for (std::size_t w = count; w-- > 0;) residue = residue_with_word(residue, words[w * word_stride], q);
  return residue;
}

}  // namespace cyclotome
