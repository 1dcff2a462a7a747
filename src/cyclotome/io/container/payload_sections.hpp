// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/io/container/packed.hpp"

// What readers of sections share. All functions throw FormatError.
namespace cyclotome::io {

/// Special primes, then ciphertext primes.
std::vector<std::uint64_t> key_moduli(const rlwe::Parameters& p);
/// The only section of the object, which must have this tag.
const Section& only_section(const Envelope& envelope, std::string_view tag);
/// The rest of the section, which must be `count` items of `item_bytes` bytes; no product that could overflow.
Packed take_residues(const ByteReader& reader, std::uint64_t count, std::uint64_t item_bytes);
/// The number of a plaintext modulus that the parameters have.
rlwe::PlainIndex read_plain(ByteReader& reader, const rlwe::Parameters& p);

}  // namespace cyclotome::io
