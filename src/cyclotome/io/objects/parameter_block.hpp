// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/io/container/limits.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"

// The section that begins every container.
namespace cyclotome::io {

/// Appends the parameter block. Throws ArgumentError for a name that is longer than 255 bytes or not printable ASCII.
void encode_parameters(ByteWriter& writer, const rlwe::Parameters& parameters);

/// Reads a parameter block, which must be the very bytes that `encode_parameters` writes. Throws FormatError for
/// anything else, SecurityError for parameters below the security that they ask for, or below 128 bits, by their own
/// table or by limits.table, unless limits.allow_insecure.
rlwe::Parameters decode_parameters(const Section& section, const Limits& limits);

}  // namespace cyclotome::io
