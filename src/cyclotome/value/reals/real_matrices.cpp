// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/reals/real_matrices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

using ckks::Approximate;

/// A matrix of `length` rows and `columns` columns as diagonals of slots. Rows repeat after P, columns after Q slots,
/// the powers of two from their numbers on. Entry (i, j) stands in diagonal (i - j) mod min(P, Q), in the one slot s
/// with s = j mod Q at which that rotation brings number i; where Q < P, what is P / Q slots of one column apart is
/// added up afterwards.
class Diagonals {
 public:
  Diagonals(std::size_t length, std::size_t columns, std::size_t width)
      : rows_(std::bit_ceil(length)), columns_(std::bit_ceil(columns)), width_(width), sums_(columns, 0) {}

  void add(std::size_t i, std::size_t j, const std::complex<double>& value) {
    if (value == 0.0) return;
    const std::size_t count = std::min(rows_, columns_), turn = (i + count - j % count) % count;
    const std::size_t slot = columns_ >= rows_ ? j : (i + rows_ - turn) % rows_;
    ckks::Numbers& diagonal = diagonals_[turn];
    diagonal.resize(std::max(rows_, columns_));
    diagonal[slot] += value;
    sums_[j] += std::abs(value);
    largest_ = std::max(largest_, std::abs(diagonal[slot]));
  }

  bool empty() const noexcept { return diagonals_.empty(); }
  std::size_t fold_from() const noexcept { return columns_; }
  std::size_t fold_to() const noexcept { return rows_; }
  double largest() const noexcept { return largest_; }
  /// The largest sum of magnitudes that makes one number of the result; rounded up.
  double row_sum() const { return *std::ranges::max_element(sums_) * (1 + 0x1p-30); }

  /// Few diagonals are rotations of their own; many are a grid of baby and giant steps.
  rlwe::RotationGrid grid() const {
    constexpr std::size_t few = 4;
    rlwe::RotationGrid grid;
    if (diagonals_.size() <= few) {
      for (const auto& [turn, diagonal] : diagonals_) grid.inner.push_back(turn);
      grid.outer = {0};
      return grid;
    }
    const std::size_t last = diagonals_.rbegin()->first;
    std::size_t babies = 1;
    while (babies * babies < last + 1) babies *= 2;
    for (std::size_t j = 0; j < babies; ++j) grid.inner.push_back(j);
    for (std::size_t i = 0; i <= last; i += babies) grid.outer.push_back(i);
    return grid;
  }

  /// The factors of one outer step, turned back by it, one after the other.
  ckks::Numbers factors(const rlwe::RotationGrid& grid, std::uint64_t outer) const {
    ckks::Numbers slots(grid.inner.size() * width_);
    for (std::size_t k = 0; k < grid.inner.size(); ++k) {
      const auto found = diagonals_.find(outer + grid.inner[k]);
      if (found == diagonals_.end()) continue;
      const ckks::Numbers& diagonal = found->second;
      const std::size_t turn = diagonal.size();
      for (std::size_t s = 0; s < width_; ++s) slots[k * width_ + s] = diagonal[(s + turn - outer % turn) % turn];
    }
    return slots;
  }

 private:
  std::size_t rows_, columns_, width_;
  std::vector<double> sums_;
  double largest_ = 0;
  std::map<std::uint64_t, ckks::Numbers> diagonals_;
};

Approximate transformed(const char* operation, const RealArray& x, const Diagonals& matrix) {
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation(operation);
  const Approximate& numbers = x.numbers();
  const auto context = std::static_pointer_cast<const ckks::Context>(x.context());
  if (numbers.level().primes < 2) static_cast<void>(ckks::multiply_constant(numbers, 0.5));  // refuses, in its words
  const double scale = context->factor_scale(numbers.level());
  const rlwe::RotationGrid grid = matrix.grid();
  std::vector<rlwe::ExtendedPlaintext> factors;
  for (const std::uint64_t outer : grid.outer) {
    factors.emplace_back(ckks::encode(context, matrix.factors(grid, outer), scale), numbers.level());
  }
  Approximate result = ckks::linear_transform(numbers, grid, factors, matrix.largest(), matrix.row_sum(), keys);
  const double bound = result.about.bound;
  for (std::size_t step = matrix.fold_from(); step < matrix.fold_to(); step *= 2) {
    result = ckks::add(result, ckks::rotate(result, static_cast<std::int64_t>(step), keys));
    result.about.bound = bound;  // of all that one column adds up
  }
  return result;
}

RealArray packed_row(const char* operation, const RealArray& x, std::size_t columns) {
  const std::size_t width = x.layout().width();
  if (x.shape().empty()) throw ArgumentError(message(operation, ": a scalar has no axis to sum over"));
  if (x.layout().last() > width || columns > width) {
    throw ArgumentError(message(operation, ": rows of ", x.layout().last(), " numbers, and results of ", columns,
                                "; both have to fit the ", width, " slots of one ciphertext"));
  }
  return packed_reals(operation, x);
}

RealArray applied(const char* operation, const RealArray& x, const Diagonals& matrix, const Shape& shape, Field field) {
  const Layout layout = layout_of_reals(x.parameters(), shape);
  if (matrix.empty()) return {multiply(x, Reals({}, {0.0}, Field::real)).numbers(), layout, field, x.keys()};
  return finished_reals(operation, transformed(operation, x, matrix), layout, field, x.keys());
}

}  // namespace

RealArray matmul(const RealArray& x, const Reals& w) {
  if (w.shape.empty() || w.shape.size() > 2) {
    throw ArgumentError(
        message("matmul: a public operand of shape ", to_string(w.shape), "; it is a vector or a matrix"));
  }
  const std::size_t length = w.shape[0], columns = w.shape.size() == 1 ? 1 : w.shape[1];
  if (x.shape().empty() || x.layout().last() != length) {
    throw ArgumentError(message("matmul: shapes ", to_string(x.shape()), " and ", to_string(w.shape),
                                " don't fit: the last axis of the first is as long as the first of the second"));
  }
  const RealArray row = packed_row("matmul", x, columns);
  Diagonals matrix(length, columns, row.layout().width());
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t j = 0; j < columns; ++j) matrix.add(i, j, w.values[i * columns + j]);
  }
  const Shape shape(x.shape().begin(), x.shape().end() - 1);
  Shape whole = shape;
  whole.push_back(columns);
  const RealArray result = applied("matmul", row, matrix, whole, joined(x.field(), w.field));
  if (w.shape.size() == 2) return result;
  return {result.numbers(), result.layout().placed(shape, Placement::replicated), result.field(), result.keys()};
}

RealArray gather(const RealArray& x, const Indices& numbers) {
  const RealArray row = packed_row("index", x, numbers.size());
  if (numbers.empty()) throw ArgumentError("index: no numbers are left; arrays are never empty");
  Diagonals matrix(row.layout().last(), numbers.size(), row.layout().width());
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    if (numbers[j] >= row.layout().last()) {
      throw ArgumentError(message("index: number ", numbers[j], " of an axis of ", row.layout().last()));
    }
    matrix.add(numbers[j], j, 1);
  }
  Shape shape(x.shape().begin(), x.shape().end() - 1);
  shape.push_back(numbers.size());
  return applied("index", row, matrix, shape, x.field());
}

}  // namespace cyclotome::value
