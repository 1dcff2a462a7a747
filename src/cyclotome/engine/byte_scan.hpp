// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cyclotome {

/// A matrix of bytes as scans read it: blocks of 32 columns, one after another, and in a block for every four rows the
/// four bytes of each column: bytes[block][row / 4][column][row % 4]. A value of two or four bytes takes so many rows.
struct ByteTiles {
  static constexpr std::size_t columns = 32;  ///< of a block
  static constexpr std::size_t rows = 4;      ///< of a quad

  const std::uint8_t* bytes = nullptr;
  std::size_t blocks = 0;
  std::size_t quads = 0;  ///< of rows

  std::size_t block_bytes() const noexcept { return quads * columns * rows; }
};

/// Exact sums of bytes in the clear times small signed numbers, which are digits of somebody's residues: what private
/// search computes. Nothing is reduced here; who asks for it does so once, at the end. What is scanned for is
/// ciphertext, what is scanned is the scanner's own, so nothing here is secret. All implementations give the same sums.
class ByteScan {
 public:
  /// Digits of a residue: 7 signed ones of 8 bits hold 53 bits.
  static constexpr std::size_t digits = 7;
  /// Sums of a block for one request: [digit][column].
  static constexpr std::size_t block_sums = digits * ByteTiles::columns;

  virtual ~ByteScan() = default;
  /// sums[request][block][digit][column] = the sum over rows of bytes[row][column] digit(row). requests: for each,
  /// quads x [digit][row % 4] digits. Throws ArgumentError for sums of another size.
  virtual void scan(std::span<std::int64_t> sums, const ByteTiles& tiles,
                    std::span<const std::int8_t* const> requests) = 0;
};

}  // namespace cyclotome
