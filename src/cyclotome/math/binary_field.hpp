// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cyclotome {

/// GF(2^r) = F_2[y]/(f), f primitive: elements are polynomials below degree r, bit i the coefficient of y^i; sums are
/// exclusive ors. Products branch on no element and index by none.
class BinaryField {
 public:
  static constexpr unsigned max_degree = 32;

  /// f is y^16 + y^12 + y^3 + y + 1 for r = 16, else the least primitive polynomial of degree r as a number. Slots in
  /// files are elements of these fields, so f stays. Throws ParameterError unless r is in [1, max_degree].
  explicit BinaryField(unsigned degree);

  unsigned degree() const noexcept { return r_; }
  /// f, bit i the coefficient of y^i.
  std::uint64_t polynomial() const noexcept { return polynomial_; }
  /// How many elements are not 0: the order of y.
  std::uint64_t order() const noexcept { return (std::uint64_t{1} << r_) - 1; }

  /// A polynomial of degree up to 2 r - 2 modulo f.
  std::uint64_t reduce(std::uint64_t product) const noexcept {
    for (unsigned bit = 2 * r_ - 2; bit + 1 > r_; --bit) {
      product ^= (polynomial_ << (bit - r_)) & (std::uint64_t{0} - (product >> bit & 1));
    }
    return product;
  }
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const noexcept {
    std::uint64_t product = 0;
    for (unsigned bit = 0; bit < r_; ++bit) product ^= (a << bit) & (std::uint64_t{0} - (b >> bit & 1));
    return reduce(product);
  }
  /// The exponent is public.
  std::uint64_t power(std::uint64_t a, std::uint64_t exponent) const noexcept;
  /// a + a^2 + a^4 + ... + a^(2^(r-1)), 0 or 1.
  std::uint64_t trace(std::uint64_t a) const noexcept {
    a &= traces_;
    for (unsigned half = 32; half != 0; half /= 2) a ^= a >> half;
    return a & 1;
  }

 private:
  unsigned r_;
  std::uint64_t polynomial_ = 0;
  std::uint64_t traces_ = 0;  // bit i: the trace of y^i
};

}  // namespace cyclotome
