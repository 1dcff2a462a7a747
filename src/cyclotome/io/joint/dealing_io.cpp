// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/joint/dealing_io.hpp"

#include <algorithm>

#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

using rlwe::Complaint;
using rlwe::Dealing;
using rlwe::ReceivingKeys;
using rlwe::SealedShare;

constexpr const char* damaged = ": the data is damaged; get a fresh copy";

void write(ByteWriter& writer, const std::vector<rlwe::IssuedKey>& keys) {
  writer.u32(static_cast<std::uint32_t>(keys.size()));
  for (const rlwe::IssuedKey& issued : keys) {
    writer.bytes(issued.key.bytes());
    writer.bytes(issued.signature);
  }
}

void write(ByteWriter& writer, const ReceivingKeys& message) {
  writer.bytes(message.round);
  writer.u32(message.party);
  write(writer, message.keys);
}

void write(ByteWriter& writer, const Dealing& message) {
  writer.bytes(message.round);
  writer.u32(message.dealer);
  write(writer, message.keys);
  writer.u32(static_cast<std::uint32_t>(message.sealed.size()));
  for (const Digest& digest : message.sealed) writer.bytes(digest);
  writer.u32(static_cast<std::uint32_t>(message.values.size()));
  for (const std::uint64_t value : message.values) writer.u64(value);
  writer.bytes(message.signature);
}

void write(ByteWriter& writer, const SealedShare& message) {
  writer.bytes(message.round);
  writer.u32(message.dealer);
  writer.u32(message.receiver);
  writer.bytes(message.bytes);
}

void write_sections(ContainerWriter& container, const ReceivingKeys& message) {
  write(container.section(layout::receiving_keys), message);
}
void write_sections(ContainerWriter& container, const Dealing& message) {
  write(container.section(layout::dealing), message);
}
void write_sections(ContainerWriter& container, const SealedShare& message) {
  write(container.section(layout::sealed_share), message);
}
void write_sections(ContainerWriter& container, const Complaint& message) {
  ByteWriter& writer = container.section(layout::complaint);
  writer.u32(message.accuser);
  writer.bytes(message.key);
  writer.bytes(message.signature);
  write(container.section(layout::dealing), message.dealing);
  write(container.section(layout::sealed_share), message.sealed);
}

/// Reads one section from start to end.
class MessageReader {
 public:
  explicit MessageReader(const Section& section)
      : reader_(section.bytes, section.offset, "a message of a dealing"), section_(section) {}

  Digest digest() { return reader_.array32(); }
  std::uint32_t party() {
    const std::uint32_t party = reader_.u32();
    if (party == 0 || party > 0xffff) {
      throw FormatError(message("party ", party, " in the section at offset ", section_.offset,
                                "; parties have numbers from 1 to 65535", damaged));
    }
    return party;
  }
  /// A number of things of `bytes` bytes each, which are there.
  std::size_t count(std::size_t bytes) {
    const std::uint32_t count = reader_.u32();
    if (count > reader_.rest().size() / bytes) {
      throw FormatError(message("the section at offset ", section_.offset, " states ", count,
                                " things, more than its bytes hold", damaged));
    }
    return count;
  }
  rlwe::Signature signature() {
    rlwe::Signature signature{};
    std::ranges::copy(reader_.take(signature.size()), signature.begin());
    return signature;
  }
  std::vector<rlwe::IssuedKey> keys() {
    constexpr std::size_t size = rlwe::PublicIdentity::bytes_count;
    std::vector<rlwe::IssuedKey> keys;
    for (std::size_t left = count(size + sizeof(rlwe::Signature)); left > 0; --left) {
      const auto bytes = reader_.take(size);
      try {
        const auto key = rlwe::PublicIdentity::from_bytes(bytes);
        keys.push_back({key, signature()});
      } catch (const ArgumentError& error) {
        throw FormatError(message("a key in the section at offset ", section_.offset, ": ", error.what()));
      }
    }
    return keys;
  }
  std::uint64_t u64() { return reader_.u64(); }
  std::vector<std::uint8_t> rest() {
    const auto bytes = reader_.take(reader_.rest().size());
    return {bytes.begin(), bytes.end()};
  }
  void finish() { reader_.finish(); }

 private:
  ByteReader reader_;
  const Section& section_;
};

ReceivingKeys read_keys(const Section& section) {
  MessageReader reader(section);
  ReceivingKeys message;
  message.round = reader.digest();
  message.party = reader.party();
  message.keys = reader.keys();
  reader.finish();
  return message;
}

Dealing read_dealing(const Section& section) {
  MessageReader reader(section);
  Dealing message;
  message.round = reader.digest();
  message.dealer = reader.party();
  message.keys = reader.keys();
  for (std::size_t left = reader.count(sizeof(Digest)); left > 0; --left) message.sealed.push_back(reader.digest());
  for (std::size_t left = reader.count(sizeof(std::uint64_t)); left > 0; --left) message.values.push_back(reader.u64());
  message.signature = reader.signature();
  reader.finish();
  return message;
}

SealedShare read_sealed(const Section& section) {
  MessageReader reader(section);
  SealedShare message;
  message.round = reader.digest();
  message.dealer = reader.party();
  message.receiver = reader.party();
  message.bytes = reader.rest();
  return message;
}

Complaint read_complaint(std::span<const Section> sections) {
  MessageReader reader(sections[0]);
  Complaint message;
  message.accuser = reader.party();
  message.key = reader.digest();
  message.signature = reader.signature();
  reader.finish();
  message.dealing = read_dealing(sections[1]);
  message.sealed = read_sealed(sections[2]);
  return message;
}

}  // namespace

Bytes serialize(const DealingMessage& message, const rlwe::Parameters& parameters,
                std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::dealing_message, parameters, {}, metadata);
  std::visit([&](const auto& each) { write_sections(container, each); }, message);
  return container.finish();
}

DealingMessage read_dealing_message(const Envelope& envelope) {
  envelope.require_kind(Kind::dealing_message);
  const auto sections = envelope.payload();
  const std::string_view first = sections.empty() ? std::string_view{} : sections[0].tag;
  if (sections.size() == 1) {
    if (first == layout::receiving_keys) return read_keys(sections[0]);
    if (first == layout::dealing) return read_dealing(sections[0]);
    if (first == layout::sealed_share) return read_sealed(sections[0]);
  }
  if (sections.size() == 3 && first == layout::complaint && sections[1].tag == layout::dealing &&
      sections[2].tag == layout::sealed_share) {
    return read_complaint(sections);
  }
  throw FormatError(message("a message of a dealing has one section ", layout::receiving_keys, ", ", layout::dealing,
                            " or ", layout::sealed_share, ", or ", layout::complaint, " and the last two", damaged));
}

}  // namespace cyclotome::io
