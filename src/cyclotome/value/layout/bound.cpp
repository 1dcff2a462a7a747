// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/bound.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/registry.hpp"

namespace cyclotome::value {

namespace {

/// Whether both have bounds.
bool known(const char* operation, const Bound& a, const Bound& b) {
  if (a.wraps() != b.wraps()) {
    throw MismatchError(message(operation,
                                ": one operand was encrypted with wrap=True (values modulo the plaintext "
                                "modulus), the other with a bound; encrypt both in the same way"));
  }
  return !a.wraps();
}

/// Of sums and products of values without bounds: bits make bits, and with other elements of their field elements.
Bound unbounded(const Bound& a, const Bound& b) {
  return a.is_bits() && b.is_bits() ? Bound::bits() : Bound::wrapping();
}

/// The bound, of values that are not below 0 where those of both operands aren't.
Bound signed_as(const Bound& bound, const Bound& a, const Bound& b) {
  return a.starts_at_zero() && b.starts_at_zero() ? bound.from_zero() : bound;
}

/// Hoelder's inequality: what sums of products over rows reach.
BigUnsigned hoelder(const Bound& a, const Bound& b) { return std::min(a.row() * b.largest(), a.largest() * b.row()); }

}  // namespace

Bound::Bound(Interval values, std::size_t length, const std::optional<BigUnsigned>& row)
    : known_(true), values_(std::move(values)), row_(values_.largest() * BigUnsigned(length)) {
  if (row && *row < row_) row_ = *row;
  if (row_ < values_.largest()) values_ = values_.within(Interval::around_zero(row_));
}

Bound Bound::from_zero() const {
  Bound result = *this;
  if (known_ && values_.low.negative) result.values_ = {0, Integer(largest())};
  return result;
}

Bound Bound::negated() const {
  Bound result = *this;
  result.values_ = -values_;
  return result;
}

Bound Bound::broadcast(std::size_t from, std::size_t to) const {
  return wraps() || from == to ? *this : Bound(values_, to);
}

Bound Bound::regrouped(std::size_t rows, std::size_t length) const {
  return wraps() ? *this : Bound(values_, length, row_ * BigUnsigned(rows));
}

Bound Bound::summed(std::size_t count) const {
  if (wraps()) return *this;
  Bound result = *this;
  result.values_ = values_.times(count);
  result.row_ *= count;
  return result;
}

Bound Bound::row_sums(std::size_t length) const {
  if (wraps()) return *this;
  const Bound sums(row_, length);
  if (!values_.low.negative) return sums.from_zero();
  return values_.high.negative ? sums.from_zero().negated() : sums;
}

Bound sum_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length) {
  if (!known(operation, a, b)) return unbounded(a, b);
  return {a.values() + b.values(), length, a.row() + b.row()};
}

Bound difference_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length) {
  if (!known(operation, a, b)) return unbounded(a, b);
  return {a.values() - b.values(), length, a.row() + b.row()};
}

Bound product_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length) {
  if (!known(operation, a, b)) return unbounded(a, b);
  return {a.values() * b.values(), length, hoelder(a, b)};
}

Bound joint_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length) {
  if (!known(operation, a, b)) return unbounded(a, b);
  return {a.values().hull(b.values()), length, std::max(a.row(), b.row())};
}

Bound appended_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length) {
  if (!known(operation, a, b)) return unbounded(a, b);
  return {a.values().hull(b.values()), length, a.row() + b.row()};
}

Bound mixed_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length) {
  return appended_bound(operation, a, b, length);
}

Bound dot_bound(const char* operation, const Bound& a, const Bound& b, std::size_t rows_of, std::size_t length) {
  return product_bound(operation, a, b, rows_of).row_sums(length);
}

Bound matrix_product_bound(const char* operation, const Bound& a, const Bound& b, std::size_t inner, std::size_t n) {
  if (!known(operation, a, b)) return unbounded(a, b);
  const BigUnsigned entry = std::min(a.row() * b.largest(), a.largest() * b.largest() * BigUnsigned(inner));
  return signed_as({entry, n, a.row() * b.row()}, a, b);
}

Bound polynomial_product_bound(const char* operation, const Bound& a, const Bound& b, std::size_t length) {
  if (!known(operation, a, b)) return unbounded(a, b);
  return {hoelder(a, b), length, a.row() * b.row()};
}

Bound field_bound(const char* operation, const Bound& x, const Integers& w, const rlwe::Parameters& parameters) {
  const FieldSlotsPtr& slots = parameters.field_slots();
  if (slots == nullptr) {
    if (const std::size_t found = x.is_bits() ? first_wider_than(w, 1) : w.size(); found != w.size()) {
      throw RangeError(message(operation, ": value ", shown(w[found]), " is no bit, which are 0 and 1; encrypt with ",
                               "wrap=True for integers modulo 2"));
    }
    return x;
  }
  const unsigned degree = slots->field().degree();
  if (const std::size_t found = first_wider_than(w, degree); found != w.size()) {
    throw RangeError(message(operation, ": value ", shown(w[found]), " is no element of GF(2^", degree, "), which are ",
                             "the whole numbers from 0 to ", slots->field().order(), "; bits are 0 and 1"));
  }
  return first_wider_than(w, 1) == w.size() ? x : Bound::wrapping();
}

Bound bound_of(const Integers& w, std::size_t length) {
  const Bound own(interval_of(w), w.length(), w.ndim() == 0 ? w.largest() : w.largest_sum(w.ndim() - 1));
  return own.broadcast(w.length(), length);
}

Bound left_product_bound(const Integers& matrix, const Bound& x, std::size_t length) {
  if (x.wraps()) return x;
  const BigUnsigned weight = matrix.largest_sum(1);
  return signed_as({weight * x.largest(), length, weight * x.row()}, x, bound_of(matrix, matrix.length()));
}

MatrixSize::MatrixSize(const Integers& matrix)
    : rows(matrix.shape()[0]),
      columns(matrix.shape()[1]),
      not_negative(!interval_of(matrix).low.negative),
      largest(matrix.largest()),
      row_sum(matrix.largest_sum(1)),
      column_sum(matrix.largest_sum(0)) {}

Bound left_vector_product_bound(const MatrixSize& matrix, const Bound& x) {
  if (x.wraps()) return x;
  const BigUnsigned entry = std::min(matrix.row_sum * x.largest(), matrix.largest * x.row());
  const Bound bound(entry, matrix.rows, matrix.column_sum * x.row());
  return x.starts_at_zero() && matrix.not_negative ? bound.from_zero() : bound;
}

Bound right_product_bound(const Bound& x, const MatrixSize& matrix) {
  if (x.wraps()) return x;
  const BigUnsigned entry = std::min(x.largest() * matrix.column_sum, x.row() * matrix.largest);
  const Bound bound(entry, matrix.columns, x.row() * matrix.row_sum);
  return x.starts_at_zero() && matrix.not_negative ? bound.from_zero() : bound;
}

Bound total_bound(const Bound& x, const Shape& shape, const std::vector<std::size_t>& axes) {
  Bound result = x;
  const bool last = !axes.empty() && axes.back() + 1 == shape.size();
  if (last) {
    std::size_t length = 1;  // of what becomes the last axis
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (std::ranges::find(axes, i) == axes.end()) length = shape[i];
    }
    result = result.row_sums(length);
  }
  for (const std::size_t axis : axes) {
    if (axis + 1 < shape.size()) result = result.summed(shape[axis]);
  }
  return result;
}

bool holds_bits(const rlwe::Parameters& parameters) {
  return parameters.plain_moduli().size() == 1 && parameters.plain_moduli()[0] == 2;
}

BigUnsigned plain_product(const rlwe::Parameters& parameters) {
  return BigUnsigned::product(parameters.plain_moduli());
}

BigUnsigned capacity(const rlwe::Parameters& parameters) {
  if (scheme::holds_reals(parameters)) {
    throw MismatchError(message("integers under ", parameters.summary(),
                                ", which are for real numbers; encrypt these as ",
                                "real numbers, or take parameters of an exact scheme"));
  }
  return (plain_product(parameters) - BigUnsigned(1)).shifted_right(1);
}

void require_within(const char* operation, const Bound& bound, const rlwe::Parameters& parameters) {
  if (bound.wraps() || bound.largest() <= capacity(parameters)) return;
  const unsigned bits = bound.largest().bit_length();
  throw RangeError(message(operation, ": values may reach ", shown(bound.largest()), " (", bits,
                           " bits), but these parameters hold at most ", shown(capacity(parameters)),
                           " in either direction (plaintext modulus ", shown(plain_product(parameters)),
                           "), and larger values would wrap around. Encrypt with a tighter bound, or take parameters "
                           "for wider results: suggest(result_bits=",
                           bits, ", ...)"));
}

}  // namespace cyclotome::value
