// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cyclotome {

/// A non-negative integer of any size: what products of moduli, exact preconditions and noise measurement need, no
/// more. Little-endian 64-bit limbs without leading zeros. Not constant-time.
class BigUnsigned {
 public:
  BigUnsigned() = default;
  BigUnsigned(std::uint64_t value);  // NOLINT(google-explicit-constructor): integers are big integers

  static BigUnsigned product(std::span<const std::uint64_t> factors);
  static BigUnsigned power_of_two(unsigned exponent);
  /// Least significant limb first; leading zeros are dropped.
  static BigUnsigned from_limbs(std::span<const std::uint64_t> limbs);

  bool is_zero() const noexcept { return limbs_.empty(); }
  unsigned bit_length() const noexcept;
  /// log2 of the value as a double, -infinity for zero.
  double log2() const noexcept;
  /// The value modulo m, m > 0.
  std::uint64_t mod(std::uint64_t m) const noexcept;
  /// Quotient and remainder by a word d > 0.
  BigUnsigned divided_by(std::uint64_t d) const;
  std::string to_string() const;
  const std::vector<std::uint64_t>& limbs() const noexcept { return limbs_; }

  BigUnsigned& operator+=(const BigUnsigned& other);
  /// Precondition: other <= *this.
  BigUnsigned& operator-=(const BigUnsigned& other);
  BigUnsigned& operator*=(std::uint64_t factor);
  BigUnsigned operator*(const BigUnsigned& other) const;
  BigUnsigned shifted_right(unsigned bits) const;
  friend BigUnsigned operator+(BigUnsigned a, const BigUnsigned& b) { return a += b; }
  friend BigUnsigned operator-(BigUnsigned a, const BigUnsigned& b) { return a -= b; }
  std::strong_ordering operator<=>(const BigUnsigned& other) const noexcept;
  bool operator==(const BigUnsigned& other) const noexcept = default;

 private:
  void trim() noexcept;
  std::vector<std::uint64_t> limbs_;
};

}  // namespace cyclotome
