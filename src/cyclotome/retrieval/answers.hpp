// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/engine/byte_scan.hpp"
#include "cyclotome/retrieval/lattice.hpp"
#include "cyclotome/retrieval/request.hpp"

namespace cyclotome::retrieval {

/// A request as the scan takes it: digits of every row's integer and of the turning key's, the flipping key as
/// polynomials. Made once for all outputs.
class OpenedRequest {
 public:
  /// Throws ArgumentError for a number of rows that is no multiple of the degree or keys of another size, RangeError
  /// for integers that are not below q. word_bytes: 1 or 2, of the outputs' words.
  OpenedRequest(LatticePtr lattice, const Request& request, std::size_t word_bytes = 2);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t word_bytes() const noexcept { return word_bytes_; }

 private:
  friend std::vector<Residues> answers(ByteScan& scan, std::span<const OpenedRequest* const> requests,
                                       const struct StoredOutput& output);
  LatticePtr lattice_;
  std::size_t rows_, word_bytes_;
  std::vector<std::int8_t> row_digits_, turn_digits_;
  std::uint64_t row_offset_, turn_offset_;  // what unsigned words and entries add too much
  PolyArray flip_;                          // transforms
};

/// An output as it lies in a file (packing.hpp).
struct StoredOutput {
  std::span<const std::uint8_t> words, matrix;
  std::span<const std::int32_t> flip;
};

/// For each request D^T b - V y - H z modulo q, 2048 integers: two scans. Throws ArgumentError for an output whose
/// sizes are not those of the requests' rows.
std::vector<Residues> answers(ByteScan& scan, std::span<const OpenedRequest* const> requests,
                              const StoredOutput& output);

/// round(2^bits v / q) modulo 2^bits, and round(q v / 2^bits): answers are sent with fewer bits than q has.
Residues shortened(const Lattice& lattice, std::span<const std::uint64_t> values, unsigned bits);
Residues lengthened(const Lattice& lattice, std::span<const std::uint64_t> values, unsigned bits);

}  // namespace cyclotome::retrieval
