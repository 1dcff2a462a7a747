// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/ring/conversion/big_unsigned.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"
#include "cyclotome/value/layout/interval.hpp"
#include "cyclotome/value/layout/shape.hpp"

namespace cyclotome::value {

/// How large the values of an array may be. Public: made from stated limits and plaintext operands, never from what is
/// encrypted.
///
/// An interval that holds every value, and the largest sum of magnitudes along the last axis, a *row*. The
/// second lets a selection by a one-hot mask, sum(mask * x), be bounded by what one x can be: |sum a_i b_i| is at most
/// row(a) largest(b). Or neither: then values wrap around modulo T by intent. Elements of GF(2^r), which slots modulo 2
/// over Phi_m hold, are such values, and bits are those of them that are 0 or 1; so are all values modulo 2 elsewhere.
class Bound {
 public:
  /// Values that wrap around.
  static Bound wrapping() { return Bound(); }
  /// Elements of a field that are 0 or 1; values modulo 2.
  static Bound bits() {
    Bound bound;
    bound.bits_ = true;
    return bound;
  }
  /// Rows of `length` values, each of at most `largest`, their magnitudes adding up to at most `row` (none: to what
  /// `length` values can). Each number is taken down to what the other implies.
  Bound(const BigUnsigned& largest, std::size_t length, const std::optional<BigUnsigned>& row = std::nullopt)
      : Bound(Interval::around_zero(largest), length, row) {}
  /// The same of values in an interval.
  Bound(Interval values, std::size_t length, const std::optional<BigUnsigned>& row = std::nullopt);
  /// The same magnitudes of values that are not below 0, as those of masks and of numbers that say so.
  Bound from_zero() const;

  /// Whether values wrap around modulo T by intent.
  bool wraps() const noexcept { return !known_; }
  /// Then wraps() too.
  bool is_bits() const noexcept { return bits_; }
  /// Whether values are known not to be below 0.
  bool starts_at_zero() const noexcept { return known_ && !values_.low.negative; }
  /// Precondition, here and below: not wraps().
  const Interval& values() const noexcept { return values_; }
  /// The largest magnitude.
  const BigUnsigned& largest() const noexcept { return values_.largest(); }
  const BigUnsigned& row() const noexcept { return row_; }

  /// Of the opposites.
  Bound negated() const;

  /// Of rows that become `length` values: those of one value repeat it.
  Bound broadcast(std::size_t from, std::size_t to) const;
  /// Of new rows of `length` values, put together from at most `rows` rows of this array, parts of them counted whole.
  Bound regrouped(std::size_t rows, std::size_t length) const;
  /// Of sums of `count` such values, and rows alike.
  Bound summed(std::size_t count) const;
  /// Of the sums of whole rows, arranged in rows of `length`.
  Bound row_sums(std::size_t length) const;
  bool operator==(const Bound&) const noexcept = default;

 private:
  Bound() = default;
  bool known_ = false, bits_ = false;
  Interval values_;
  BigUnsigned row_;
};

// Of results of operations on arrays with rows of the same length, broadcast before if need be.

/// Throws MismatchError if one operand wraps around and the other doesn't.
Bound sum_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length);
/// Of a - b.
Bound difference_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length);
/// Of a b, value by value.
Bound product_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length);
/// Of arrays whose rows stay whole: what holds for both.
Bound joint_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length);
/// Of arrays one after the other along the last axis, whose rows grow to `length`.
Bound appended_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length);
/// Of values each of which stands in one array or the other: rows may take the largest of both.
Bound mixed_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length);
/// Of sums of products over whole rows, |sum a_i b_i|, arranged in rows of `length`.
Bound dot_bound(const char* operation, const Bound& a, const Bound& b, std::size_t rows_of, std::size_t length);
/// Of a (..., m, k) @ b (..., k, n): rows of `n`, k = `inner`.
Bound matrix_product_bound(const char* operation, const Bound& a, const Bound& b, std::size_t inner, std::size_t n);

/// Of products of polynomials with `length` coefficients: each is a sum of products with signs.
Bound polynomial_product_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length);

/// Of what public values make of values that wrap around: of bits and elements of a field what is one. RangeError for
/// values that are no bits or elements.
Bound field_bound(const char* operation, const Bound& x, const Integers& w, const rlwe::Parameters& parameters);

/// Of public integers, rows taken as broadcast to `length`.
Bound bound_of(const Integers& w, std::size_t length);
/// Of matrix @ x for a public matrix and an x whose contracted axis is the one before rows of `length`; and of
/// matrix @ x for a vector x, whose rows are contracted.
Bound left_product_bound(const Integers& matrix, const Bound& x, std::size_t length);
/// What bounds of products ask of a public matrix: told once where it serves many, since it takes walks over all
/// values.
struct MatrixSize {
  explicit MatrixSize(const Integers& matrix);
  std::size_t rows, columns;
  bool not_negative;
  BigUnsigned largest, row_sum, column_sum;  ///< of magnitudes; sums along a row and a column
};
/// Of a public matrix and a vector, whose rows are contracted.
Bound left_vector_product_bound(const MatrixSize& matrix, const Bound& x);
/// Of x @ matrix for a public matrix.
Bound right_product_bound(const Bound& x, const MatrixSize& matrix);

/// Of the sums over `axes`, which ascend, of an array of this shape.
Bound total_bound(const Bound& x, const Shape& shape, const std::vector<std::size_t>& axes);

/// Whether values are bits unless told otherwise: the only plaintext modulus is 2.
bool holds_bits(const rlwe::Parameters& parameters);

/// (T - 1) / 2: the largest magnitude that values modulo T have without wrapping around; T is the product of the
/// plaintext moduli.
BigUnsigned capacity(const rlwe::Parameters& parameters);
/// T, the product of the plaintext moduli.
BigUnsigned plain_product(const rlwe::Parameters& parameters);

/// Throws RangeError unless the parameters hold such values without wrapping around; the message says what would.
void require_within(const char* operation, const Bound& bound, const rlwe::Parameters& parameters);

}  // namespace cyclotome::value
