// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/retrieval/answers.hpp"

#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/retrieval/packing.hpp"

namespace cyclotome::retrieval {

namespace {

constexpr unsigned digit_bits = 8;

void require_integers(const Lattice& lattice, std::span<const std::uint64_t> values) {
  for (const std::uint64_t value : values) {
    if (value >= lattice.modulus()) throw RangeError("a request with an integer that is not below the modulus");
  }
}

/// Signed digits of each value times 2^(8 a) modulo q, a below `bytes`: a word's byte a counts so much. In the order of
/// quads: [quad][digit][byte of the quad].
std::vector<std::int8_t> spread(const Lattice& lattice, std::span<const std::uint64_t> values, std::size_t bytes) {
  const Modulus<std::uint64_t>& q = lattice.reduction();
  std::vector<std::int8_t> out(values.size() * bytes * ByteScan::digits);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t value = values[i];
    for (std::size_t a = 0; a < bytes; ++a) {
      const std::size_t byte = i * bytes + a, quad = byte / ByteTiles::rows, row = byte % ByteTiles::rows;
      auto rest = static_cast<std::int64_t>(value);
      for (std::size_t d = 0; d < ByteScan::digits; ++d) {
        const auto low = static_cast<std::int8_t>(rest & 0xff);
        out[(quad * ByteScan::digits + d) * ByteTiles::rows + row] = low;
        rest = (rest - low) >> digit_bits;
      }
      value = q.reduce_wide(static_cast<u128>(value) << digit_bits);
    }
  }
  return out;
}

/// offset times the sum of all values, modulo q.
std::uint64_t offset_of(const Lattice& lattice, std::span<const std::uint64_t> values, std::int64_t offset) {
  const Modulus<std::uint64_t>& q = lattice.reduction();
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum = q.add(sum, value);
  return q.multiply(sum, q.reduce(static_cast<std::uint64_t>(offset)));
}

/// A column's sum of seven digits' sums, modulo q. sums: of a block.
std::uint64_t column_value(const Lattice& lattice, const std::int64_t* sums, std::size_t column) {
  const Modulus<std::uint64_t>& q = lattice.reduction();
  std::uint64_t value = 0;
  for (std::size_t d = ByteScan::digits; d-- > 0;) {
    value = q.reduce_wide(static_cast<u128>(value) << digit_bits);
    value = q.add(value, q.reduce_signed(sums[d * ByteTiles::columns + column]));
  }
  return value;
}

/// What a scan gives for all columns of an output, less the offset: [request][column].
std::vector<Residues> scanned(ByteScan& scan, const Lattice& lattice, std::span<const std::uint8_t> bytes,
                              std::span<const std::int8_t* const> digits, std::span<const std::uint64_t> offsets) {
  constexpr std::size_t blocks = output_columns / ByteTiles::columns;
  const ByteTiles tiles{bytes.data(), blocks, bytes.size() / output_columns / ByteTiles::rows};
  std::vector<std::int64_t> sums(digits.size() * blocks * ByteScan::block_sums);
  scan.scan(sums, tiles, digits);
  std::vector<Residues> out(digits.size(), Residues(output_columns));
  for (std::size_t r = 0; r < digits.size(); ++r) {
    for (std::size_t c = 0; c < output_columns; ++c) {
      const std::size_t block = r * blocks + c / ByteTiles::columns;
      const std::uint64_t value =
          column_value(lattice, sums.data() + block * ByteScan::block_sums, c % ByteTiles::columns);
      out[r][c] = lattice.reduction().subtract(value, offsets[r]);
    }
  }
  return out;
}

/// H z: the sum of products with three polynomials of small digits.
Residues flipped(const Lattice& lattice, std::span<const std::int32_t> flip, ConstView key) {
  Residues digits(flip.size());
  for (std::size_t i = 0; i < flip.size(); ++i) digits[i] = lattice.reduction().reduce_signed(flip[i]);
  PolyArray product = lattice.polynomials(digits, 1, gadget_digits);
  product.to_transform();
  Engine& engine = *lattice.engine();
  engine.multiply(product.view(), product.view(), key);
  for (std::size_t k = 1; k < gadget_digits; ++k) {
    engine.add(product.view().part(0), product.view().part(0), product.view().part(k));
  }
  PolyArray sum = lattice.make(1, 1, Domain::transform);
  engine.copy(sum.view(), std::as_const(product).view().part(0));
  sum.to_coefficient();
  return lattice.integers(sum);
}

void require_sizes(const StoredOutput& output, std::size_t rows, std::size_t word_bytes) {
  if (output.words.size() != word_tile_bytes(rows, word_bytes) || output.matrix.size() != matrix_tile_bytes ||
      output.flip.size() != gadget_digits * degree) {
    throw ArgumentError(message("an output of ", output.words.size(), " + ", output.matrix.size(), " bytes; for ", rows,
                                " rows it has ", word_tile_bytes(rows, word_bytes), " + ", matrix_tile_bytes));
  }
}

}  // namespace

OpenedRequest::OpenedRequest(LatticePtr lattice, const Request& request, std::size_t word_bytes)
    : lattice_(std::move(lattice)), rows_(request.rows.size()), word_bytes_(word_bytes) {
  if (word_bytes != 1 && word_bytes != 2) throw ArgumentError(message("words of ", word_bytes, " bytes; 1 or 2"));
  if (rows_ == 0 || rows_ % degree != 0 || request.turn.size() != gadget_digits * degree ||
      request.flip.size() != gadget_digits * degree) {
    throw ArgumentError(message("a request of ", rows_, " rows with keys of ", request.turn.size(), " and ",
                                request.flip.size(), " integers; rows are a multiple of ", degree, ", keys have ",
                                gadget_digits * degree));
  }
  for (const Residues* values : {&request.rows, &request.turn, &request.flip}) require_integers(*lattice_, *values);
  row_digits_ = spread(*lattice_, request.rows, word_bytes);
  turn_digits_ = spread(*lattice_, request.turn, 4);
  row_offset_ = offset_of(*lattice_, request.rows, word_bytes == 1 ? byte_offset : word_offset);
  turn_offset_ = offset_of(*lattice_, request.turn, matrix_offset);
  flip_ = lattice_->polynomials(request.flip, 1, gadget_digits);
  flip_.to_transform();
}

std::vector<Residues> answers(ByteScan& scan, std::span<const OpenedRequest* const> requests,
                              const StoredOutput& output) {
  if (requests.empty()) return {};
  const Lattice& lattice = *requests.front()->lattice_;
  std::vector<const std::int8_t*> row_digits, turn_digits;
  Residues row_offsets, turn_offsets;
  for (const OpenedRequest* request : requests) {
    require_sizes(output, request->rows(), request->word_bytes());
    row_digits.push_back(request->row_digits_.data());
    turn_digits.push_back(request->turn_digits_.data());
    row_offsets.push_back(request->row_offset_);
    turn_offsets.push_back(request->turn_offset_);
  }
  std::vector<Residues> out = scanned(scan, lattice, output.words, row_digits, row_offsets);
  const std::vector<Residues> packing = scanned(scan, lattice, output.matrix, turn_digits, turn_offsets);
  for (std::size_t r = 0; r < out.size(); ++r) {
    const Residues flip = flipped(lattice, output.flip, requests[r]->flip_.view());
    for (std::size_t c = 0; c < output_columns; ++c) {
      const Modulus<std::uint64_t>& q = lattice.reduction();
      out[r][c] = q.subtract(out[r][c], q.add(packing[r][c], flip[c]));
    }
  }
  return out;
}

Residues shortened(const Lattice& lattice, std::span<const std::uint64_t> values, unsigned bits) {
  Residues out(values.begin(), values.end());
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::uint64_t& value : out) {
    value =
        static_cast<std::uint64_t>(((static_cast<u128>(value) << bits) + lattice.modulus() / 2) / lattice.modulus()) &
        mask;
  }
  return out;
}

Residues lengthened(const Lattice& lattice, std::span<const std::uint64_t> values, unsigned bits) {
  Residues out(values.begin(), values.end());
  for (std::uint64_t& value : out) {
    const u128 scaled = static_cast<u128>(value) * lattice.modulus() + (static_cast<u128>(1) << (bits - 1));
    value = static_cast<std::uint64_t>(scaled >> bits);
    value -= value >= lattice.modulus() ? lattice.modulus() : 0;
  }
  return out;
}

}  // namespace cyclotome::retrieval
