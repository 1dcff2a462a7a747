// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/elementwise/products.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/arrays/announcement.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/elementwise/inner_products.hpp"
#include "cyclotome/value/elementwise/reductions.hpp"
#include "cyclotome/value/elementwise/shaping.hpp"
#include "cyclotome/value/layout/alignment.hpp"
#include "cyclotome/value/layout/residues.hpp"
#include "cyclotome/value/layout/slots.hpp"
#include "cyclotome/value/matrices/rearrangement.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

/// Rows that are worked on at a time where each takes ciphertexts of its own.
constexpr std::size_t at_a_time = 8;

void require_contraction(const Shape& left, const Shape& right) {
  if (left.empty() || right.empty()) {
    throw ArgumentError(
        message("matmul: shapes ", to_string(left), " and ", to_string(right), "; scalars are multiplied with *"));
  }
  const std::size_t inner = right.size() > 1 ? right[right.size() - 2] : right.back();
  if (left.back() != inner) {
    throw ArgumentError(message("matmul: shapes ", to_string(left), " and ", to_string(right),
                                " do not fit: ", left.back(), " columns meet other rows"));
  }
  if (std::ranges::count(left, std::size_t{0}) + std::ranges::count(right, std::size_t{0}) > 0) {
    throw ArgumentError(message("matmul: shapes ", to_string(left), " and ", to_string(right),
                                " leave no values; encrypted arrays are never empty"));
  }
}

void require_matrix(const Integers& w, const EncryptedArray& x) {
  if (x.parameters().field_slots() == nullptr) {
    static_cast<void>(field_bound("matmul", x.bound(), w, x.parameters()));
  } else if (first_wider_than(w, 1) != w.size()) {
    throw UnsupportedError(
        "matmul: matrices over bits and elements of GF(2^r) are of bits, 0 and 1; for others multiply "
        "with * and sum");
  }
  if (w.ndim() > 2) {
    throw ArgumentError(
        message("matmul: plaintext operands are vectors or matrices, not of shape ", to_string(w.shape())));
  }
}

/// Contracts an axis that numbers ciphertexts with the columns of `matrix`: its rows come in that axis's place.
Placed weighted(const Placed& x, const Integers& matrix, std::size_t axis, const Options& options) {
  const Shape numbered = x.layout.ciphertext_axes();
  const std::size_t rows = matrix.shape()[0], columns = numbered[axis];
  std::vector<std::size_t> axes = iota(numbered.size());
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
  axes.push_back(axis);
  const Indices grouped = transposed_indices(numbered, axes);  // [everything else][axis]
  const std::size_t groups = grouped.size() / columns;
  std::vector<Residues> weights;
  for (const Ciphertext& channel : x.channels) {
    weights.push_back(centred_residues(matrix, Modulus<std::uint64_t>(channel.plain_modulus().value)));
  }
  Task task(options, "multiplying matrices", groups);
  std::vector<Channels> made;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto first = grouped.begin() + static_cast<std::ptrdiff_t>(group * columns);
    const Channels column = take(x.channels, Indices(first, first + static_cast<std::ptrdiff_t>(columns)));
    made.emplace_back();
    for (std::size_t i = 0; i < column.size(); ++i) {
      made.back().push_back(rlwe::linear_combination(column[i], weights[i], rows));
      if (group == 0) announce_rest("matmul", made[0][i], (3 * groups - 1) * rows);  // the others, joined, and in order
    }
    task.advance();
  }
  Shape made_axes = without(numbered, Indices{axis}), shape = x.layout.shape();
  made_axes.push_back(rows);
  std::vector<std::size_t> order = iota(made_axes.size() - 1);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(axis), made_axes.size() - 1);
  shape[axis] = rows;
  return {take(concatenate(made), transposed_indices(made_axes, order)), x.layout.with_shape(shape)};
}

Integers rows_of(const Integers& matrix, std::size_t start, std::size_t stop) {
  const std::size_t columns = matrix.shape()[1];
  Indices numbers;
  for (std::size_t i = start * columns; i < stop * columns; ++i) numbers.push_back(i);
  return matrix.taken(numbers, {stop - start, columns});
}

/// For every row of `matrix` the sum of x * row over the packed axis, along a new last axis.
Placed weighted_slots(const Placed& x, const Keyring& keys, const Integers& matrix, const Options& options) {
  require_slots("matmul", x.layout);
  Shape shape = x.layout.shape();
  shape.insert(shape.end() - 1, 1);
  const Placed rows{transformed(x).channels, x.layout.with_shape(shape)};
  const std::size_t count = matrix.shape()[0];
  Task task(options, "multiplying matrices", count);
  std::vector<Placed> parts;
  for (std::size_t start = 0; start < count; start += at_a_time) {
    const std::size_t stop = std::min(start + at_a_time, count);
    const Placed products = multiply_rows(rows, keys, rows_of(matrix, start, stop), options);
    parts.push_back(sum_over(products, keys, {products.layout.shape().size() - 1}, options));
    task.advance(stop - start);
  }
  return joined(parts, parts.front().layout.shape().size() - 1);
}

bool decryptable(const Placed& x) {
  return std::ranges::all_of(x.channels, [](const Ciphertext& c) { return scheme::noise_headroom(c) >= 0; });
}

/// A packed array's rows times a matrix, by the diagonals that `made` gives or makes, once more by the quiet ones where
/// the noise of the cheap ones is too much.
template <class Made>
Placed product_by_diagonals(const EncryptedArray& x, const Options& options, const Made& made) {
  require_slots("matmul", x.layout());
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("matmul");
  Placed operand = x.placed();
  if (operand.channels.front().parts() > 2) operand.channels = relinearize(operand.channels, keys, options);
  const bool clean = operand.layout.clean();
  Placed product = made(clean, false).apply("matmul", operand, keys, options);
  return decryptable(product) ? product : made(clean, true).apply("matmul", operand, keys, options);
}

/// Whether there are slots in two rows, and more results than one.
bool has_diagonals(const EncryptedArray& x, std::size_t results) {
  return results > 1 && Diagonals::possible(*x.context());
}

/// A packed array's rows times a matrix, by diagonals or else one result, in all slots, for each row of the matrix.
template <class Made>
Placed packed_product(const EncryptedArray& x, const Integers& matrix, const Options& options, const Made& made) {
  if (has_diagonals(x, matrix.shape()[0])) return product_by_diagonals(x, options, made);
  require_slots("matmul", x.layout());
  return weighted_slots(x.placed(), x.keys(), matrix, options);
}

/// The same with diagonals for this product alone.
Placed packed_product(const EncryptedArray& x, const Integers& matrix, const Options& options) {
  return packed_product(x, matrix, options,
                        [&](bool clean, bool quiet) { return Diagonals(x.context(), matrix, clean, quiet); });
}

/// A packed array with a ciphertext for each value.
EncryptedArray replicated(const EncryptedArray& x, const Options& options) {
  Shape columns = x.shape();
  columns.push_back(1);
  return reshape(rearranged(x, iota(count_of(x.shape())), columns, options), x.shape());
}

/// (x * y) summed over an axis counted from the end.
EncryptedArray contracted(const EncryptedArray& x, const EncryptedArray& y, std::size_t from_end, const Bound& bound,
                          const Options& options) {
  require_within("matmul", bound, x.parameters());
  const std::size_t axis = broadcast_shape("matmul", x.shape(), y.shape()).size() - from_end;
  return finished("matmul", sum_of_products(x, y, Indices{axis}, options), bound, x.keys().joined(y.keys()), options);
}

}  // namespace

EncryptedArray matmul(const Integers& matrix, const EncryptedArray& x, const Options& options) {
  if (options.refresh_operands) {
    return with_room("matmul", x, options, [&](const auto& a, const Options& how) { return matmul(matrix, a, how); });
  }
  require_contraction(matrix.shape(), x.shape());
  require_matrix(matrix, x);
  if (matrix.ndim() == 1) {
    const EncryptedArray product = matmul(matrix.reshaped({1, matrix.length()}), x, options);
    return reshape(product, without(product.shape(), Indices{x.ndim() > 1 ? x.ndim() - 2 : 0}));
  }
  const bool vector = x.ndim() == 1;
  const Bound bound = vector ? left_vector_product_bound(MatrixSize(matrix), x.bound())
                             : left_product_bound(matrix, x.bound(), x.layout().last());
  require_within("matmul", bound, x.parameters());
  Placed product = vector && x.layout().packed() ? packed_product(x, matrix, options)
                                                 : weighted(x.placed(), matrix, vector ? 0 : x.ndim() - 2, options);
  return finished("matmul", std::move(product), bound, x.keys(), options);
}

EncryptedArray matmul(const EncryptedArray& x, const Integers& matrix, const Options& options) {
  if (options.refresh_operands) {
    return with_room("matmul", x, options, [&](const auto& a, const Options& how) { return matmul(a, matrix, how); });
  }
  require_contraction(x.shape(), matrix.shape());
  require_matrix(matrix, x);
  if (matrix.ndim() == 1) {
    const EncryptedArray product = matmul(x, matrix.reshaped({matrix.length(), 1}), options);
    return reshape(product, without(product.shape(), Indices{product.ndim() - 1}));
  }
  const Bound bound = right_product_bound(x.bound(), MatrixSize(matrix));
  require_within("matmul", bound, x.parameters());
  const Integers columns = transposed(matrix);
  Placed product =
      x.layout().packed() ? packed_product(x, columns, options) : weighted(x.placed(), columns, x.ndim() - 1, options);
  return finished("matmul", std::move(product), bound, x.keys(), options);
}

EncryptedArray matmul(const Matrix& matrix, const EncryptedArray& x, const Options& options) {
  if (options.refresh_operands) {
    return with_room("matmul", x, options, [&](const auto& a, const Options& how) { return matmul(matrix, a, how); });
  }
  const Integers& w = matrix.values();
  rlwe::require_same_context("matmul", *matrix.context(), *x.context());
  if (x.ndim() != 1 || !x.layout().packed()) return matmul(w, x, options);
  require_contraction(w.shape(), x.shape());
  require_matrix(w, x);
  const Bound bound = left_vector_product_bound(matrix.size(), x.bound());
  require_within("matmul", bound, x.parameters());
  const auto made = [&](bool clean, bool quiet) -> const Diagonals& { return matrix.diagonals(false, clean, quiet); };
  return finished("matmul", packed_product(x, w, options, made), bound, x.keys(), options);
}

EncryptedArray matmul(const EncryptedArray& x, const Matrix& matrix, const Options& options) {
  if (options.refresh_operands) {
    return with_room("matmul", x, options, [&](const auto& a, const Options& how) { return matmul(a, matrix, how); });
  }
  const Integers& w = matrix.values();
  rlwe::require_same_context("matmul", *matrix.context(), *x.context());
  if (!x.layout().packed() || !has_diagonals(x, w.shape()[1])) return matmul(x, w, options);
  require_contraction(x.shape(), w.shape());
  require_matrix(w, x);
  const Bound bound = right_product_bound(x.bound(), matrix.size());
  require_within("matmul", bound, x.parameters());
  const auto made = [&](bool clean, bool quiet) -> const Diagonals& { return matrix.diagonals(true, clean, quiet); };
  return finished("matmul", product_by_diagonals(x, options, made), bound, x.keys(), options);
}

EncryptedArray matmul(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  if (options.refresh_operands) {
    return with_room("matmul", x, y, options, Growth::product,
                     [&](const auto& a, const auto& b, const Options& how) { return matmul(a, b, how); });
  }
  require_contraction(x.shape(), y.shape());
  const std::size_t inner = x.shape().back();
  if (y.ndim() == 1) {
    const std::size_t last = x.ndim() > 1 ? x.shape()[x.ndim() - 2] : 1;
    return contracted(x, y, 1, dot_bound("matmul", x.bound(), y.bound(), inner, last), options);
  }
  if (x.layout().packed()) return matmul(replicated(x, options), y, options);
  const Bound bound = matrix_product_bound("matmul", x.bound(), y.bound(), inner, y.shape().back());
  // x (..., m, k, 1) times y (..., 1, k, n), summed over k.
  Shape columns = x.shape(), rows = y.shape();
  columns.push_back(1);
  if (x.ndim() > 1) rows.insert(rows.end() - 2, 1);
  return contracted(reshape(x, columns), reshape(y, rows), 2, bound, options);
}

}  // namespace cyclotome::value
