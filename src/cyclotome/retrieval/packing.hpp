// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/retrieval/lattice.hpp"

namespace cyclotome::retrieval {

/// Columns of words that are packed into one polynomial, an *output*.
inline constexpr std::size_t output_columns = degree;

/// What is known of an output before a request comes, since masks are everybody's. With s the client's secret, b its
/// encryption of a row's number, D the words less 2^15, y and z its keys for x -> x^5 and x -> x^-1:
///   D^T b - V y - H z = a s + D^T (message + error) - V (error of y) - H (error of z)   modulo q, exactly,
/// V and H integer matrices that the database and the masks fix, H that of products with three polynomials h.
struct Packing {
  Residues mask;                     ///< a: 2048 integers below q
  std::vector<std::uint8_t> matrix;  ///< V + 2^31 as tiles of 2048 columns and 6144 quads, a value in each quad's row
  std::vector<std::int32_t> flip;    ///< h: 3 x 2048 signed digits
  std::uint64_t matrix_norm;         ///< the largest sum of squares of a row of [V H]; 2^64 - 1 for what is larger
  std::uint64_t words_norm;          ///< the largest sum of squares of a column of D
  std::uint64_t words_sum;           ///< the largest magnitude of a column's sum
};

/// words: rows x 2048, row-major; rows those of the masks. Takes some tens of bytes of memory for each of V's 12.6
/// million entries. The key switches that packing is made of, each of digits that depend on those before, are worked
/// out in one pass of 1023 steps; the matrix that they come to is two transforms of size 2048, not a sum over steps:
/// row by row, sum_e d_e(x) x^(p e) at x = zeta^f is sum_e d_e(zeta^f) zeta^((f p) e).
Packing pack(const Masks& masks, std::span<const std::uint16_t> words);

/// Words of an output as tiles: blocks of 32 columns, two rows of two bytes in a quad. rows x 2048 x 2 bytes. With
/// word_bytes 1 four rows of one byte: RangeError for a word that, less 2^15, is not within -2^7 ... 2^7 - 1.
std::vector<std::uint8_t> arranged(std::span<const std::uint16_t> words, std::size_t word_bytes = 2);

/// Bytes of an output's tiles, of words and of the matrix.
constexpr std::size_t word_tile_bytes(std::size_t rows, std::size_t word_bytes = 2) noexcept {
  return rows * output_columns * word_bytes;
}
inline constexpr std::size_t matrix_quads = gadget_digits * degree;
inline constexpr std::size_t matrix_tile_bytes = matrix_quads * 4 * output_columns;

}  // namespace cyclotome::retrieval
