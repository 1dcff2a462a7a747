// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "cyclotome/value/arrays/encrypted_array.hpp"
#include "cyclotome/value/matrices/diagonals.hpp"

namespace cyclotome::value {

/// A public matrix that is multiplied with many packed arrays: its diagonals are encoded and transformed once, on first
/// use from either side, and kept. Results, bounds and errors are those of `matmul` with the integers. Copies share
/// what was prepared; thread-safe.
class Matrix {
 public:
  /// values: of two axes (ArgumentError). Throws UnsupportedError for parameters whose slots are no two rows of
  /// integers.
  Matrix(const rlwe::ContextPtr& context, Integers values);
  Matrix(const Matrix&) = default;  // and no move: math/moved.hpp
  Matrix& operator=(const Matrix&) = default;

  const rlwe::ContextPtr& context() const noexcept { return kept_->context; }
  const Integers& values() const noexcept { return kept_->values; }
  /// What bounds ask of it.
  const MatrixSize& size() const noexcept { return *kept_->size; }
  /// Bytes of what was prepared so far.
  std::size_t bytes() const;
  /// The diagonals of the matrix, transposed for products from the right; clean, quiet: as DiagonalPlan has them.
  const Diagonals& diagonals(bool transposed, bool clean, bool quiet = false) const;

 private:
  using Side = std::array<bool, 3>;  // transposed, clean, quiet
  struct Kept {
    Kept(rlwe::ContextPtr on, Integers matrix) : context(std::move(on)), values(std::move(matrix)) {}
    rlwe::ContextPtr context;
    Integers values;
    std::optional<MatrixSize> size;
    /// What was prepared, or null.
    const Diagonals* found(const Side& side);
    std::mutex preparing;  // one side at a time
    std::mutex mutex;      // of `diagonals`; not held while anything is computed
    std::map<Side, std::unique_ptr<const Diagonals>> diagonals;
  };
  std::shared_ptr<Kept> kept_;
};

}  // namespace cyclotome::value
