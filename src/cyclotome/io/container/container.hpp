// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/envelope.hpp"

namespace cyclotome::io {

/// A checked view of a container: its envelope, and the shape of what its sections hold. Besides the checksum that
/// takes milliseconds at most and hardly any memory, whatever the bytes are. Residues are checked when they are read.
/// The bytes must outlive it.
class Container : public Envelope {
 public:
  /// Throws FormatError for bytes that are no whole, undamaged container of a known version and kind, or more than
  /// `limits` allows; SecurityError for parameters that are insecure, by their own table or by limits.table, unless
  /// limits.allow_insecure.
  explicit Container(std::span<const std::uint8_t> bytes, const Limits& limits = {});
};

}  // namespace cyclotome::io
