// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>

// Numbers that stand beside each other in many calls, and would not be told apart if they were plain ones.
namespace cyclotome::rlwe {

/// The level of a ciphertext: how many ciphertext primes it has, the first ones of all.
struct Level {
  /// How many.
  std::size_t primes;

  explicit constexpr Level(std::size_t count) noexcept : primes(count) {}
  friend constexpr auto operator<=>(const Level&, const Level&) = default;
  friend std::ostream& operator<<(std::ostream& out, Level level) { return out << level.primes; }
};

/// One of the parameters' plaintext moduli, counted from 0.
struct PlainIndex {
  /// Which, from 0 on.
  std::size_t number;

  explicit constexpr PlainIndex(std::size_t index) noexcept : number(index) {}
  friend constexpr auto operator<=>(const PlainIndex&, const PlainIndex&) = default;
  friend std::ostream& operator<<(std::ostream& out, PlainIndex plain) { return out << plain.number; }
};

/// A plaintext modulus t itself, where it comes with residues, factors or moduli of another kind. Lists of moduli, and
/// arithmetic modulo t, have plain numbers.
struct PlainModulus {
  /// The modulus.
  std::uint64_t value;

  explicit constexpr PlainModulus(std::uint64_t t) noexcept : value(t) {}
  friend constexpr auto operator<=>(const PlainModulus&, const PlainModulus&) = default;
  friend std::ostream& operator<<(std::ostream& out, PlainModulus plain) { return out << plain.value; }
};

}  // namespace cyclotome::rlwe
