// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// Removal of a small low digit modulo p^2 (after Ma, Huang, Wang and Wang, 2024, whose bound on the digit is a tail's;
// here encapsulation makes it certain): f(p m + e) = p m for all m and |e| <= B.
//
// f(u) = N(u) h(u^2) with N(u) = product of (u - i) over |i| <= B = u N_1(u^2), and h(e^2) = 1/N'(e) modulo p: since
// N(e) = 0, N(p m + e) = p m N'(e) modulo p^2. Both polynomials have degree B in w = u^2.
namespace cyclotome::bfv {

/// The two polynomials in w, lowest coefficient first, by B and p.
class DigitRemoval {
 public:
  /// Throws ParameterError unless p exceeds 2 B + 1 and the polynomials do, modulo p^2, what is said above: that is
  /// computed for every digit, and for some m.
  DigitRemoval(unsigned bound, std::uint64_t prime);

  unsigned bound() const noexcept { return bound_; }
  /// Powers of w that are made: as many as make the fewest products at this depth.
  unsigned powers() const noexcept { return powers_; }
  /// Products of ciphertexts that `apply` takes.
  unsigned products() const noexcept { return powers_ + (bound_ <= 2 * powers_ ? 4 : 8); }
  /// f on a residue modulo p^2.
  std::uint64_t operator()(std::uint64_t u) const;

  /// f(u) of anything that `ops` multiplies (two operands), squares, adds (two, or one and a residue modulo p^2) and
  /// multiplies by a signed integer (times): ciphertexts, or what is known of their noise before there are any.
  template <class Number, class Ops>
  Number apply(const Ops& ops, const Number& u) const;

 private:
  /// Coefficients first ... last - 1 of a polynomial.
  using Range = std::pair<std::size_t, std::size_t>;
  std::vector<Range> blocks() const;
  template <class Number, class Ops>
  Number block(const Ops& ops, const std::vector<Number>& powers, const std::vector<std::int64_t>& polynomial,
               const Range& range) const;

  unsigned bound_, powers_;
  std::uint64_t prime_;
  std::vector<std::int64_t> n_, h_;  ///< of N_1 modulo p^2 and h modulo p, centred
};

template <class Number, class Ops>
Number DigitRemoval::block(const Ops& ops, const std::vector<Number>& powers,
                           const std::vector<std::int64_t>& polynomial, const Range& range) const {
  std::optional<Number> sum;
  for (std::size_t i = range.first + 1; i < range.second; ++i) {
    const Number term = ops.times(powers[i - range.first - 1], polynomial[i]);
    sum = sum ? ops.add(*sum, term) : term;
  }
  return ops.add_constant(*sum, polynomial[range.first]);
}

template <class Number, class Ops>
Number DigitRemoval::apply(const Ops& ops, const Number& u) const {
  std::vector<Number> w{ops.square(u)};  // w[i]: power i + 1
  for (std::size_t power = 2; power <= powers_; ++power) {
    const std::size_t half = power / 2, rest = power - half;
    w.push_back(half == rest ? ops.square(w[half - 1]) : ops.multiply(w[half - 1], w[rest - 1]));
  }
  const std::vector<Range> parts = blocks();
  const Number& step = w.back();
  // N_1 and u h, by blocks of `powers` coefficients; u enters before the giant power, which keeps the depth.
  Number n = ops.add(block<Number>(ops, w, n_, parts[0]), ops.multiply(step, block<Number>(ops, w, n_, parts[1])));
  Number uh = ops.multiply(
      u, ops.add(block<Number>(ops, w, h_, parts[0]), ops.multiply(step, block<Number>(ops, w, h_, parts[1]))));
  if (parts.size() == 3) {
    const Number giant = ops.square(step);
    n = ops.add(n, ops.multiply(giant, block<Number>(ops, w, n_, parts[2])));
    uh = ops.add(uh, ops.multiply(giant, ops.multiply(u, block<Number>(ops, w, h_, parts[2]))));
  }
  return ops.multiply(uh, n);
}

}  // namespace cyclotome::bfv
