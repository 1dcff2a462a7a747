// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// Columns of packed rows that become rows, as in a transpose: value i of a new row is from the same place of an old
/// row, and every old row gives its values to one place i of new ones.
struct ColumnMoves {
  /// By old row: the place i; none where it gives nothing.
  std::vector<std::optional<std::size_t>> places;
  /// By new row: the column that it is, and the old rows, in order.
  struct NewRow {
    std::size_t column;
    Indices sources;
  };
  std::vector<NewRow> rows;

  /// How the values `numbers` of rows of `length` become rows of `last`; nothing where they don't in this way, where
  /// values don't all stand in the first row of slots, half of `width`, or where it takes no fewer rotations than
  /// moving every value by itself.
  static std::optional<ColumnMoves> of(const Indices& numbers, std::size_t length, std::size_t last, std::size_t width);
};

/// The new rows: every old row is turned to its place, so that a column stands on a diagonal, which masks pick out; a
/// rotation takes it to the front. A rotation for each old row and each new one, and a product with a mask for each
/// value, instead of both for each value.
Placed columns_moved(const Placed& x, const ColumnMoves& moves, const rlwe::EvaluationKeys& keys,
                     const Options& options);

}  // namespace cyclotome::value
