// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cyclotome::study::ltv {

/// A polynomial over F_2 of any degree; bit i of the words is the coefficient of x^i. Public values only.
class BitPolynomial {
 public:
  BitPolynomial() = default;
  explicit BitPolynomial(std::uint64_t low) : words_{low} {}

  /// -1 for 0.
  std::ptrdiff_t degree() const noexcept;
  bool bit(std::size_t i) const noexcept { return i / 64 < words_.size() && (words_[i / 64] >> (i % 64) & 1) != 0; }
  void flip(std::size_t i);
  /// The lowest 64 coefficients.
  std::uint64_t low() const noexcept { return words_.empty() ? 0 : words_[0]; }

  /// *this modulo `divisor`, which is not 0.
  void reduce(const BitPolynomial& divisor);
  static BitPolynomial gcd(BitPolynomial a, BitPolynomial b);

 private:
  void add_shifted(const BitPolynomial& other, std::size_t shift);
  std::vector<std::uint64_t> words_;
};

}  // namespace cyclotome::study::ltv
