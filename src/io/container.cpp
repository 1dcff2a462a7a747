// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container.hpp"

#include <algorithm>

#include "cyclotome/io/byte_reader.hpp"
#include "cyclotome/io/container_layout.hpp"
#include "cyclotome/io/parameters_io.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;

constexpr const char* fresh_copy = "; get a fresh copy";

struct Frame {
  Kind kind;
  std::uint16_t version;
  Span fingerprint;
  Span sections;
};

/// Header and checksum.
Frame open_frame(Span bytes, const Limits& limits) {
  const std::size_t smallest = layout::header_bytes + layout::checksum_bytes;
  if (bytes.size() > limits.max_bytes) {
    throw FormatError(message("the data has ", bytes.size(), " bytes, more than the limit of ", limits.max_bytes,
                              "; raise the limit (max_bytes) if you trust its source"));
  }
  ByteReader reader(bytes, 0, "the header");
  const std::size_t prefix = std::min(bytes.size(), layout::magic.size());
  if (prefix == 0 || ByteReader(bytes, 0, "").text(prefix) != layout::magic.substr(0, prefix)) {
    throw FormatError("the data does not start with \"CYCLOTOM\": it is no file of this library");
  }
  if (bytes.size() < smallest) {
    throw FormatError(message("the data has ", bytes.size(), " bytes, fewer than the ", smallest,
                              " of the smallest file: it is truncated", fresh_copy));
  }
  reader.take(layout::magic.size());
  Frame frame{};
  frame.version = reader.u16();
  if (frame.version != format_version) {
    throw FormatError(message("the data has format version ", frame.version, ", but this library reads version ",
                              format_version, "; use the library version that wrote it or a newer one"));
  }
  frame.kind = static_cast<Kind>(reader.u16());
  const std::uint32_t reserved = reader.u32();
  const std::uint64_t length = reader.u64();
  if (length != bytes.size()) {
    throw FormatError(message("the header at offset ", layout::length_offset, " announces ", length,
                              " bytes, but there are ", bytes.size(), ": the data is ",
                              length > bytes.size() ? "truncated" : "damaged or has a tail", fresh_copy));
  }
  const Span body = bytes.first(bytes.size() - layout::checksum_bytes);
  if (const Digest digest = sha256(body); !std::ranges::equal(digest, bytes.last(layout::checksum_bytes))) {
    throw FormatError(message("the checksum at offset ", body.size(),
                              " does not fit the data before it: the data is damaged", fresh_copy));
  }
  if (frame.kind < Kind::parameters || frame.kind > Kind::bundle) {
    throw FormatError(message("kind ", static_cast<unsigned>(frame.kind), " at offset 10 is unknown in format version ",
                              format_version, fresh_copy));
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

}  // namespace

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::parameters:
      return "parameters";
    case Kind::secret_key:
      return "a secret key";
    case Kind::public_key:
      return "a public key";
    case Kind::evaluation_keys:
      return "evaluation keys";
    case Kind::ciphertext:
      return "a ciphertext array";
    case Kind::plaintext:
      return "a plaintext array";
    case Kind::bundle:
      return "a bundle of ciphertext arrays";
  }
  return message("kind ", static_cast<unsigned>(kind));
}

Container Container::parse(Span bytes, const Limits& limits) {
  const Frame frame = open_frame(bytes, limits);
  ByteReader reader(frame.sections, layout::header_bytes, "a section");
  const Section first = next_section(reader);
  if (first.tag != layout::parameters) {
    throw FormatError(
        message("the first section is ", first.tag, ", not ", layout::parameters, ": the data is damaged", fresh_copy));
  }
  Container container(decode_parameters(first, limits.allow_insecure));
  const rlwe::Parameters& parameters = container.parameters_;
  if (!std::ranges::equal(parameters.fingerprint(), frame.fingerprint)) {
    throw FormatError(message("the fingerprint at offset ", layout::fingerprint_offset,
                              " is not that of the parameters in the data, ", parameters.summary(),
                              ": the data is damaged", fresh_copy));
  }
  container.kind_ = frame.kind;
  container.version_ = frame.version;
  container.size_ = bytes.size();
  container.limits_ = limits;
  container.sections_.push_back(first);
  // No object has more sections than evaluation keys with every Galois element, n - 1 odd numbers below 2n.
  const std::size_t most = parameters.degree() + 3;
  while (!reader.rest().empty()) {
    if (container.sections_.size() == most) {
      throw FormatError(message("there are more than ", most, " sections, at offset ", reader.offset(),
                                ": the data is damaged", fresh_copy));
    }
    container.sections_.push_back(next_section(reader));
  }
  container.payload_ = 1;
  if (has_key_id(container.kind_)) container.take_key_id();
  if (container.next_is(layout::metadata)) container.take_metadata();
  if (container.kind_ == Kind::parameters && !container.payload().empty()) {
    throw FormatError(message("section ", container.payload()[0].tag, " at offset ", container.payload()[0].offset,
                              " has no place in a container of parameters alone: the data is damaged", fresh_copy));
  }
  return container;
}

bool Container::next_is(std::string_view tag) const noexcept {
  return payload_ < sections_.size() && sections_[payload_].tag == tag;
}

void Container::take_key_id() {
  if (!next_is(layout::key_id) || sections_[payload_].bytes.size() != key_id_.size()) {
    throw FormatError(message(name_of(kind_), " needs a section ", layout::key_id, " of ", key_id_.size(),
                              " bytes after the parameters: the data is damaged", fresh_copy));
  }
  std::ranges::copy(sections_[payload_++].bytes, key_id_.begin());
}

void Container::take_metadata() {
  const Section& section = sections_[payload_++];
  metadata_ = section.bytes;
  if (metadata_.empty() || metadata_.size() > max_metadata_bytes) {
    throw FormatError(message("the metadata at offset ", section.offset, " has ", metadata_.size(),
                              " bytes; between 1 and ", max_metadata_bytes, " are allowed"));
  }
}

void Container::require_kind(Kind kind) const {
  if (kind_ != kind) throw FormatError(message("the data holds ", name_of(kind_), ", not ", name_of(kind)));
}

void Container::require_expanded(std::uint64_t bytes) const {
  if (bytes > limits_.max_expanded_bytes) {
    throw FormatError(message(name_of(kind_), " of ", size_, " bytes expands to ", bytes,
                              " bytes, more than the limit of ", limits_.max_expanded_bytes,
                              "; raise the limit (max_expanded_bytes) if you trust its source"));
  }
}

ContainerWriter::ContainerWriter(Kind kind, const rlwe::Parameters& parameters, const rlwe::KeyId& key, Span metadata,
                                 std::uint64_t payload) {
  if (metadata.size() > max_metadata_bytes) {
    throw ArgumentError(message("the metadata has ", metadata.size(), " bytes; at most ", max_metadata_bytes,
                                " can be stored with an object"));
  }
  writer_.reserve(payload + metadata.size() + 8192);
  writer_.text(layout::magic);
  writer_.u16(format_version);
  writer_.u16(static_cast<std::uint16_t>(kind));
  writer_.u32(0);
  writer_.u64(0);  // the length, known when it is finished
  writer_.bytes(parameters.fingerprint());
  encode_parameters(section(layout::parameters), parameters);
  if (has_key_id(kind)) section(layout::key_id).bytes(key);
  if (!metadata.empty()) section(layout::metadata).bytes(metadata);
}

ByteWriter& ContainerWriter::section(std::string_view tag) {
  end_section();
  writer_.text(tag);
  open_ = writer_.size();
  writer_.u64(0);
  return writer_;
}

void ContainerWriter::end_section() {
  if (open_ != 0) writer_.put_u64(open_, writer_.size() - open_ - 8);
}

Bytes ContainerWriter::finish() {
  end_section();
  writer_.put_u64(layout::length_offset, writer_.size() + layout::checksum_bytes);
  const Digest digest = sha256(writer_.view());
  writer_.bytes(digest);
  return std::move(writer_).take();
}

}  // namespace cyclotome::io
