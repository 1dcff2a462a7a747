// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "cyclotome/ring/conversion/divide_and_round.hpp"

namespace cyclotome {

/// Constants of hybrid key switching (specification 5.7): the primes of q are split into digits of neighbours with
/// products D_j; each digit is lifted exactly and centred from D_j to P q, and the sum over digits and key is divided
/// by P. Without special primes (P = 1) nothing is divided.
class KeySwitchConstants {
 public:
  /// q: the ciphertext primes that are present; p: the special primes, or null; per_digit >= 1 primes a digit (the last
  /// one may have fewer). preserved, numerator: of the division by P, which keeps the result correct modulo a plaintext
  /// modulus (BGV), or multiplies by it. Throws ParameterError for per_digit = 0 and if q, P and the preserved modulus
  /// are not coprime.
  KeySwitchConstants(const RingPtr& q, const RingPtr& p, std::size_t per_digit,
                     PreservedModulus preserved = PreservedModulus(1), std::uint64_t numerator = 1);

  /// Empty, to be filled by whoever has the constants: what an engine reads out of a program.
  KeySwitchConstants() = default;

  /// The same for operands of the first `limbs` primes (at least 1), which end with a digit; throws ArgumentError
  /// otherwise. The digits of the others are left out, whose products with the key would be zero.
  KeySwitchConstants of_first(std::size_t limbs) const;
  /// How many first primes the digits of `limbs` of them have, together.
  std::size_t whole_digits(std::size_t limbs) const;

  struct Digit {
    std::size_t first;         ///< first limb in q
    RingPtr ring;              ///< that slice of q
    BaseConversion extension;  ///< to P q, centred
  };

  RingPtr ciphertext_ring, special_ring, key_ring;  ///< q; P or null; P then q
  std::vector<Digit> digits;
  std::optional<DivideAndRound> rounding;  ///< by P, if there is one

  std::size_t special_limbs() const noexcept { return key_ring->limbs() - ciphertext_ring->limbs(); }
};

}  // namespace cyclotome
