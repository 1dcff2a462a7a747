// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/value/arrays/plain_array.hpp"

// Public operands in files: their integers and the parameters that they are encoded for. Encodings and transforms are
// made when they are read: they are some ten to thirty times as long, and a file in which they differ from the integers
// that bounds are made of would give wrong results.
namespace cyclotome::io {

/// A plain array without what is encoded: what its file says.
struct PlainValues {
  rlwe::Parameters parameters;
  value::Integers values;
};

/// Throws ArgumentError for metadata that is too long, no values, and integers of more than 255 words;
/// UnsupportedError for parameters without slots of integers.
Bytes serialize(const PlainValues& plain, std::span<const std::uint8_t> metadata = {});
Bytes serialize(const value::PlainArray& plain, std::span<const std::uint8_t> metadata = {});

/// The integers. Throws FormatError for a container of another kind or with bad contents, or one that expands beyond
/// its limits.
PlainValues read_plain_values(const Container& container);
/// The same, encoded; also throws MismatchError if the context has other parameters, and MemoryLimitError.
value::PlainArray read_plain_array(const Container& container, const rlwe::ContextPtr& context);

}  // namespace cyclotome::io
