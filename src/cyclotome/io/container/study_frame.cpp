// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/study_frame.hpp"

#include <algorithm>

#include "cyclotome/io/container/container_layout.hpp"

namespace cyclotome::io {

StudyFrame open_study(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes, const StudyFormat& format) {
  const Frame frame = open_frame(bytes, max_bytes, format_version);
  if (frame.kind != format.kind) {
    throw FormatError(message("the data holds an object of kind ", frame.kind, ", not one of ", format.name, " (kind ",
                              format.kind, "); cyclotome.load reads the library's own"));
  }
  ByteReader sections(frame.sections, layout::header_bytes, "a section");
  const Section head = next_section(sections), data = next_section(sections);
  sections.finish();
  if (head.tag != format.head || data.tag != format.data) {
    throw FormatError(message("the sections are ", head.tag, " and ", data.tag, ", not ", format.head, " and ",
                              format.data, study_damaged));
  }
  return {frame.fingerprint, head, data};
}

void require_study_fingerprint(std::span<const std::uint8_t> stored, std::span<const std::uint8_t> expected) {
  if (std::ranges::equal(stored, expected)) return;
  throw FormatError(message("the fingerprint at offset ", layout::fingerprint_offset, " is not that of the parameters",
                            study_damaged));
}

void require_study_bytes(const ByteReader& reader, std::uint64_t count, const StudyFormat& format) {
  if (count <= reader.rest().size()) return;
  throw FormatError(message("the data of an object of ", format.name, " at offset ", reader.offset(), " needs ", count,
                            " more bytes, but only ", reader.rest().size(), " are left", study_damaged));
}

}  // namespace cyclotome::io
