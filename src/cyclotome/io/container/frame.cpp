// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/frame.hpp"

#include <algorithm>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/sha256.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;

constexpr const char* fresh_copy = "; get a fresh copy";

/// SHA-256 in pieces of a few milliseconds.
Digest checksum(Span bytes) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  Sha256 hash;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    check_interrupt();
    hash.update(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  return hash.finish();
}

void require_magic(Span first) {
  const std::size_t prefix = std::min(first.size(), layout::magic.size());
  if (prefix == 0 || ByteReader(first, 0, "").text(prefix) != layout::magic.substr(0, prefix)) {
    throw FormatError("the data does not start with \"CYCLOTOM\": it is no file of this library");
  }
}

}  // namespace

bool names_kind(Span bytes, std::uint16_t kind) noexcept {
  if (bytes.size() < layout::header_bytes) return false;
  const auto is = [](std::uint8_t byte, char letter) { return byte == static_cast<std::uint8_t>(letter); };
  return std::ranges::equal(bytes.first(layout::magic.size()), layout::magic, is) &&
         (bytes[layout::kind_offset] | bytes[layout::kind_offset + 1] << 8) == kind;
}

void check_header(Span first, std::uint64_t max_bytes) {
  require_magic(first);
  if (first.size() < layout::header_bytes) return;
  if (const std::uint64_t length = ByteReader(first.subspan(layout::length_offset), 0, "the header").u64();
      length > max_bytes) {
    throw FormatError(message("the header at offset ", layout::length_offset, " announces ", length,
                              " bytes, more than the limit of ", max_bytes,
                              "; raise the limit (max_bytes) if you trust its source"));
  }
}

std::uint64_t announced_bytes(Span header, std::uint64_t max_bytes) {
  check_header(header, max_bytes);
  constexpr std::size_t smallest = layout::header_bytes + layout::checksum_bytes;
  const Span fields = ByteReader(header, 0, "the header").take(layout::header_bytes);
  const std::uint64_t length = ByteReader(fields.subspan(layout::length_offset), 0, "the header").u64();
  if (length < smallest) {
    throw FormatError(message("the header at offset ", layout::length_offset, " announces ", length,
                              " bytes, fewer than the ", smallest, " of the smallest file: the data is damaged",
                              fresh_copy));
  }
  return length;
}

Frame open_frame(Span bytes, std::uint64_t max_bytes, std::uint16_t newest) {
  const std::size_t smallest = layout::header_bytes + layout::checksum_bytes;
  if (bytes.size() > max_bytes) {
    throw FormatError(message("the data has ", bytes.size(), " bytes, more than the limit of ", max_bytes,
                              "; raise the limit (max_bytes) if you trust its source"));
  }
  require_magic(bytes);
  ByteReader reader(bytes, 0, "the header");
  if (bytes.size() < smallest) {
    throw FormatError(message("the data has ", bytes.size(), " bytes, fewer than the ", smallest,
                              " of the smallest file: it is truncated", fresh_copy));
  }
  reader.take(layout::magic.size());
  Frame frame{};
  frame.version = reader.u16();
  if (frame.version < oldest_version || frame.version > newest) {
    throw FormatError(message("the data has format version ", frame.version, ", but this library reads versions ",
                              oldest_version, " to ", newest,
                              "; use the library version that wrote it or a newer one"));
  }
  frame.kind = reader.u16();
  const std::uint32_t reserved = reader.u32();
  const std::uint64_t length = reader.u64();
  if (length != bytes.size()) {
    throw FormatError(message("the header at offset ", layout::length_offset, " announces ", length,
                              " bytes, but there are ", bytes.size(), ": the data is ",
                              length > bytes.size() ? "truncated" : "damaged or has a tail", fresh_copy));
  }
  const Span body = bytes.first(bytes.size() - layout::checksum_bytes);
  if (const Digest digest = checksum(body); !std::ranges::equal(digest, bytes.last(layout::checksum_bytes))) {
    throw FormatError(message("the checksum at offset ", body.size(),
                              " does not fit the data before it: the data is damaged", fresh_copy));
  }
  if (reserved != 0)
    throw FormatError(message("the reserved bytes at offset 12 are ", reserved, ", not 0", fresh_copy));
  frame.fingerprint = bytes.subspan(layout::fingerprint_offset, 32);
  frame.sections = body.subspan(layout::header_bytes);
  return frame;
}

Section next_section(ByteReader& reader) {
  const std::uint64_t start = reader.offset();
  const std::string_view tag = reader.text(layout::tag_bytes);
  if (!std::ranges::all_of(tag, [](char c) { return c >= 'A' && c <= 'Z'; })) {
    throw FormatError(message("the section at offset ", start,
                              " has no tag of four capital letters: the data is damaged", fresh_copy));
  }
  const std::uint64_t length = reader.u64();
  const std::uint64_t offset = reader.offset();
  return {tag, offset, reader.take(length)};
}

FrameWriter::FrameWriter(std::uint16_t kind, Span fingerprint, std::uint64_t reserve, Residence residence,
                         std::uint16_t version)
    : writer_(residence) {
  require_main_memory("a file of this size", reserve);
  writer_.reserve(reserve);
  writer_.text(layout::magic);
  writer_.u16(version);
  writer_.u16(kind);
  writer_.u32(0);
  writer_.u64(0);  // the length, known when it is finished
  writer_.bytes(fingerprint);
}

ByteWriter& FrameWriter::section(std::string_view tag) {
  end_section();
  writer_.text(tag);
  open_ = writer_.size();
  writer_.u64(0);
  return writer_;
}

void FrameWriter::end_section() {
  if (open_ != 0) writer_.put_u64(open_, writer_.size() - open_ - 8);
}

Bytes FrameWriter::finish() {
  end_section();
  writer_.put_u64(layout::length_offset, writer_.size() + layout::checksum_bytes);
  const Digest digest = checksum(writer_.view());
  writer_.bytes(digest);
  return std::move(writer_).take();
}

}  // namespace cyclotome::io
