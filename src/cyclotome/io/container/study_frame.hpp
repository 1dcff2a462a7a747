// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/frame.hpp"

// What files of studied schemes have in common: a kind of their own, no `Container`, and two sections, a head that says
// which object of which parameters and key, and its data (doc/wire-format.md).
namespace cyclotome::io {

struct StudyFormat {
  std::uint16_t kind;
  std::string_view head, data;  ///< tags
  const char* name;             ///< "LTV"
};

inline constexpr const char* study_damaged = ": the data is damaged; get a fresh copy";

/// A study's object, taken apart.
struct StudyFrame {
  std::span<const std::uint8_t> fingerprint;
  Section head, data;
};
/// Throws FormatError for bytes that are no whole, undamaged object of this format.
StudyFrame open_study(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes, const StudyFormat& format);
/// Throws FormatError unless the fingerprint in the file is that of the parameters.
void require_study_fingerprint(std::span<const std::uint8_t> stored, std::span<const std::uint8_t> expected);
/// Throws FormatError unless so many bytes are left: before memory is taken for them.
void require_study_bytes(const ByteReader& reader, std::uint64_t count, const StudyFormat& format);

}  // namespace cyclotome::io
