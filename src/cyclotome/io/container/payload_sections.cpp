// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/payload_sections.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

std::vector<std::uint64_t> key_moduli(const rlwe::Parameters& p) {
  std::vector<std::uint64_t> moduli = p.special_moduli();
  moduli.insert(moduli.end(), p.moduli().begin(), p.moduli().end());
  return moduli;
}

const Section& only_section(const Envelope& envelope, std::string_view tag) {
  const auto payload = envelope.payload();
  if (payload.size() != 1 || payload[0].tag != tag) {
    throw FormatError(message(name_of(envelope.kind()), " needs one section ", tag, ", but the data has ",
                              payload.size(),
                              payload.empty() ? "" : message(", the first of which is ", payload[0].tag),
                              ": the data is damaged; get a fresh copy"));
  }
  return payload[0];
}

Packed take_residues(const ByteReader& reader, std::uint64_t count, std::uint64_t item_bytes) {
  const std::uint64_t left = reader.rest().size();
  if (count == 0 || left % item_bytes != 0 || left / item_bytes != count) {
    throw FormatError(message("the section announces ", count, " items of ", item_bytes, " bytes, but ", left,
                              " bytes follow at offset ", reader.offset(), ": the data is damaged; get a fresh copy"));
  }
  return {reader.rest(), reader.offset()};
}

rlwe::PlainIndex read_plain(ByteReader& reader, const rlwe::Parameters& p) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t plain = reader.u32();
  if (plain >= p.plain_moduli().size()) {
    throw FormatError(message("plaintext modulus number ", plain, " at offset ", offset, ", but the parameters have ",
                              p.plain_moduli().size(), ": the data is damaged; get a fresh copy"));
  }
  return rlwe::PlainIndex(plain);
}

}  // namespace cyclotome::io
