// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/io/container/byte_writer.hpp"

namespace cyclotome::io {

/// Bytes of one packed polynomial over these moduli: each limb takes degree * packed_bits(q) bits, and starts at a full
/// byte: what is left of the last one, where degree is no multiple of 8, is zero bits.
std::uint64_t packed_polynomial_bytes(std::size_t degree, std::span<const std::uint64_t> moduli) noexcept;

/// Appends parts 0 ... parts - 1 of every batch item as they are (the domain is the format's business), in the order
/// batch, part, limb, coefficient. Needs one polynomial's memory besides the output.
void write_polynomials(ByteWriter& writer, const PolyArray& polynomials, std::size_t parts);

/// Fills parts 0 ... parts - 1 of every batch item. `packed` must have the matching length, which the caller has
/// checked; its first byte is at `offset` of the file. Throws FormatError for a residue that is not below its modulus.
void read_polynomials(PolyArray& polynomials, std::size_t parts, std::span<const std::uint8_t> packed,
                      std::uint64_t offset);

}  // namespace cyclotome::io
