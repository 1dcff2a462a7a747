// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/study/ltv/polynomials/cyclotomic_polynomial.hpp"

namespace cyclotome::study::ltv {

/// A polynomial of bits, n of them by power of x.
using Bits = ZeroisingVector<std::uint8_t>;

/// What a polynomial modulo 2 and Phi_m holds: n/r values in GF(2^r), r the order of 2 modulo m. Phi_m falls into as
/// many factors modulo 2; the field is F_2[y] modulo the smallest of them, read as a number, and slot u is a(y^u), for
/// one u of each class of units modulo powers of 2. Sums and products act slot by slot. Immutable.
///
/// Slots are numbered along dimensions, the first fastest: u = product of g_i^(e_i), so that x -> x^(g_i^s) moves slots
/// by s to the left along dimension i. Where slots wrap around, values come back as powers of two of themselves, which
/// bits do not notice, unless g_i^length = 1.
class Slots {
 public:
  struct Dimension {
    std::uint64_t generator;
    std::size_t length;
    bool exact;  ///< generator^length = 1: values of the field rotate too
  };

  /// Throws ParameterError where 2 has an order above 31 modulo m.
  explicit Slots(const CyclotomicPolynomial& ring);

  unsigned field_bits() const noexcept { return field_bits_; }
  std::size_t count() const noexcept { return units_.size(); }
  /// The field's polynomial, as a number.
  std::uint64_t field() const noexcept { return field_; }
  const std::vector<Dimension>& dimensions() const noexcept { return dimensions_; }
  /// u of each slot.
  const std::vector<std::uint64_t>& units() const noexcept { return units_; }
  /// The unit k with which x -> x^k moves slots by `steps` to the left along a dimension (ArgumentError if there is
  /// none).
  std::uint64_t rotation(std::size_t dimension, std::int64_t steps) const;

  /// values: up to count() elements of the field, numbers below 2^r; the other slots hold 0. Throws ArgumentError for
  /// too many, RangeError for a number that is none.
  Bits encode(std::span<const std::uint32_t> values) const;
  /// All slots of n bits.
  ZeroisingVector<std::uint32_t> decode(std::span<const std::uint8_t> bits) const;

 private:
  void set_powers(std::uint64_t field);
  std::uint64_t smallest_factor(const std::vector<std::uint64_t>& classes) const;
  void set_dimensions(const std::vector<std::uint64_t>& classes, const std::vector<std::uint32_t>& class_of);

  const CyclotomicPolynomial ring_;
  unsigned field_bits_ = 0;
  std::uint64_t field_ = 0;
  std::vector<std::uint32_t> powers_;       // y^k, k < m
  std::vector<std::uint32_t> trace_masks_;  // Tr(v y^k) is the parity of v and entry k
  std::vector<Dimension> dimensions_;
  std::vector<std::uint64_t> units_;
};

}  // namespace cyclotome::study::ltv
