// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cyclotome/rlwe/switching/linear_transform.hpp"

// Where the entries of a public matrix meet the slots of one ciphertext.
namespace cyclotome::value {

/// A matrix of at most n rows and columns, times the vector in a ciphertext's two rows of N = n/2 slots, by its
/// diagonals (Halevi and Shoup, 2014), in four steps:
///
/// 1. The vector is copied `copies` times to the left, `stride` apart, and perhaps into the other row, `turns` copies
///    further: then one rotation brings several entries to where they are wanted (after Juvekar, Vaikuntanathan and
///    Chandrakasan, 2018).
/// 2. Slot p of the rotation by s holds an entry x_j; it is multiplied by the matrix's entry of row i = p modulo
///    `period` (a power of two) and column j, for s below `turns`.
/// 3. The sum over s, by baby steps and giant steps.
/// 4. Slots that are the same modulo `period` are added up, by doubling.
///
/// Since s + turns (copy + copies * row) runs once through the numbers below `period`, each entry of the matrix meets
/// its x_j in exactly one slot of one rotation.
class DiagonalPlan {
 public:
  /// The cheapest one. row: N, a power of two. clean: there are zeros beside the vector, without which it can't be
  /// copied. quiet: the least noisy one instead, which multiplies before it rotates, so that the bound on what
  /// rotations add is not multiplied by plaintexts: no copies, and outer steps only. Precondition: rows and columns in
  /// [1, 2N].
  DiagonalPlan(std::size_t rows, std::size_t columns, std::size_t row, bool clean, bool quiet = false);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t columns() const noexcept { return columns_; }
  /// Results fill both rows of slots; the vector does.
  bool tall() const noexcept { return rows_ > row_; }
  bool wide() const noexcept { return columns_ > row_; }
  /// Then there is a second sum, of the vector with its rows swapped: see `columns_at`.
  bool crossed() const noexcept { return tall() && !swaps_; }

  std::size_t turns() const noexcept { return turns_; }
  std::size_t period() const noexcept { return period_; }
  /// Rotations that the vector is added to itself by, one after another.
  std::vector<std::uint64_t> copy_steps() const;
  /// After these it is added to itself with its rows swapped, rotated by this first.
  std::optional<std::uint64_t> swap_step() const;
  /// Rotations that results are added to themselves by, and whether their rows are swapped and added then. A single
  /// result stands in all slots.
  std::vector<std::uint64_t> fold_steps() const;
  bool folds_rows() const noexcept { return !tall() && (wide() || swaps_ || rows_ == 1); }
  /// Whether it copies the vector, and takes zeros beside it.
  bool copies_vector() const noexcept { return copies_ > 1 || swaps_; }

  /// Steps below this are inner ones, its multiples outer ones.
  std::size_t baby() const noexcept { return baby_; }
  /// Which rotation entry (i, j) meets x_j in.
  std::size_t turn_of(std::size_t i, std::size_t j) const noexcept {
    return (j % row_ + period_ - i % row_ % period_) % period_ % turns_;
  }
  /// The matrix's row that a slot's products belong to; rows() or more for none.
  std::size_t row_at(std::size_t slot) const noexcept { return tall() ? slot : slot % row_ % period_; }
  /// By slot: which x_j stands there after step 1, or columns() where there is none. crossed: of the vector with its
  /// rows swapped.
  std::vector<std::uint32_t> columns_at(bool crossed) const;

  /// In key switches, roughly.
  double cost() const noexcept;

 private:
  bool choose_copies(std::size_t copies, bool swaps) noexcept;
  void choose_baby() noexcept;

  std::size_t rows_, columns_, row_;
  std::size_t period_, copies_ = 1, stride_ = 0, turns_ = 1, baby_ = 1;
  bool swaps_ = false;
};

/// All rotations to the left that products with a matrix of this shape take, however large: the keys that make them
/// fastest. Rows are swapped, too.
std::vector<std::uint64_t> matrix_rotations(std::size_t rows, std::size_t columns, std::size_t row);

}  // namespace cyclotome::value
