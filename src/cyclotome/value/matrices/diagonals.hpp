// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/channels.hpp"
#include "cyclotome/value/layout/integers.hpp"
#include "cyclotome/value/layout/residues.hpp"
#include "cyclotome/value/matrices/diagonal_plan.hpp"

namespace cyclotome::value {

/// A public matrix as diagonals that meet packed vectors: what `matmul` makes for one product, and `Matrix` keeps.
/// Vectors and results longer than a ciphertext are cut into blocks of n.
class Diagonals {
 public:
  /// matrix: y[i] = sum over j of matrix[i][j] x[j]. clean, quiet: as DiagonalPlan has them.
  Diagonals(rlwe::ContextPtr context, const Integers& matrix, bool clean, bool quiet);
  /// A selection in place of a matrix: y[i] = x[picks[i]] of vectors of `columns` values, 0 where picks[i] = columns.
  Diagonals(rlwe::ContextPtr context, std::size_t columns, Indices picks, bool clean);
  /// Whether these parameters have two rows of slots that rotate alone: x^n + 1, and integers in slots.
  static bool possible(const rlwe::Context& context);

  /// Encodes and transforms everything now and keeps it; else each product does what it takes. Throws
  /// MemoryLimitError.
  void prepare();
  /// Of what is kept.
  std::size_t bytes() const noexcept;

  /// The products with every row of a packed array whose last axis has as many values as the matrix has columns, packed
  /// again; zeros stand beside them only where results fill ciphertexts. Throws MissingKeyError, which names what makes
  /// the keys, before anything is computed.
  Placed apply(const char* operation, const Placed& x, const rlwe::EvaluationKeys& keys, const Options& options) const;

 private:
  /// Of at most n rows and columns: the part of the matrix from (first_row, first_column) on.
  struct Block {
    DiagonalPlan plan;
    std::size_t first_row, first_column;
    std::vector<rlwe::RotationGrid> grids{};                       // of the vector, and with its rows swapped
    std::vector<std::vector<rlwe::ExtendedPlaintext>> prepared{};  // [channel][sum, outer step]
  };

  void make_blocks(bool clean, bool quiet);
  /// visit(i, j) for the block's entries that are not 0 modulo every plaintext modulus.
  template <class Visit>
  void for_each_entry(const Block& block, const Visit& visit) const;
  std::int64_t entry(std::size_t channel, std::size_t i, std::size_t j) const {
    return picks_.empty() ? residues_[channel][i * columns_ + j] : std::int64_t{picks_[i] == j};
  }
  rlwe::RotationGrid make_grid(const Block& block, bool crossed) const;
  rlwe::ExtendedPlaintext encoded(const Block& block, std::size_t channel, bool crossed, std::size_t outer) const;
  Ciphertext product(const Block& block, std::size_t channel, const Ciphertext& x, const rlwe::EvaluationKeys& keys,
                     Task& task) const;
  void require_keys(const char* operation, const rlwe::EvaluationKeys& keys) const;
  std::size_t steps() const noexcept;

  rlwe::ContextPtr context_;
  std::size_t rows_, columns_;
  std::vector<Residues> residues_;  // [channel], of the matrix; or
  Indices picks_;                   // of a selection
  std::vector<Block> blocks_;       // by rows, then columns
  std::size_t blocks_in_row_;
};

/// The transpose of a matrix.
Integers transposed(const Integers& matrix);

}  // namespace cyclotome::value
