// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/io/container/packed.hpp"
#include "cyclotome/value/layout/shape.hpp"

// What the section of a plain array holds, but for the integers.
namespace cyclotome::io {

/// Of integers in C order.
struct PlainArrayPayload {
  value::Shape shape;
  std::size_t words = 1;  ///< of each integer
  std::size_t rows = 0;   ///< plaintexts of each plaintext modulus; 0 where the values are constants
  Packed values;
};

/// Both throw FormatError.
PlainArrayPayload plain_array_payload(const Envelope& envelope);
/// Bytes of integers, encodings and transforms.
std::uint64_t plain_array_expanded_bytes(const Envelope& envelope);

}  // namespace cyclotome::io
