// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/plain_array_payload.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/payload_sections.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/arrays/plain_array.hpp"
#include "cyclotome/value/layout/layout.hpp"

namespace cyclotome::io {

namespace {

[[noreturn]] void refuse(std::uint64_t offset, const std::string& what) {
  throw FormatError(
      message("the plain array at offset ", offset, " ", what, ": the data is damaged; get a fresh copy"));
}

/// How many plaintexts of each plaintext modulus these values take.
std::size_t rows_of(const value::Shape& shape, const rlwe::Parameters& p) {
  if (shape.empty() || shape.back() == 1) return 0;
  return value::Layout(shape, value::Widths(p), value::Placement::slots).batch();
}

}  // namespace

PlainArrayPayload plain_array_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::plain_array);
  const Section& section = only_section(envelope, layout::plain_array);
  const rlwe::Parameters& p = envelope.parameters();
  ByteReader reader(section.bytes, section.offset, "a plain array");
  const std::uint8_t axes = reader.u8(), words = reader.u8();
  const std::uint64_t reserved = reader.u16() + std::uint64_t{reader.u32()};
  if (axes > value::max_axes || words == 0 || reserved != 0) {
    refuse(section.offset, message("has ", static_cast<unsigned>(axes), " axes (at most ", value::max_axes,
                                   " are possible), integers of ", static_cast<unsigned>(words),
                                   " words, or reserved bytes that are not 0"));
  }
  if (!value::takes_plain_arrays(p)) refuse(section.offset, message("is of ", p.summary(), ", which have none"));
  PlainArrayPayload payload;
  payload.words = words;
  for (std::size_t i = 0; i < axes; ++i) payload.shape.push_back(reader.u64());
  std::uint64_t count = 1;
  for (const std::size_t length : payload.shape) {
    // Every value takes bytes that are there.
    if (length == 0 || length > reader.rest().size() / count) {
      refuse(section.offset,
             message("has shape ", value::to_string(payload.shape), " and ", reader.rest().size(), " bytes of values"));
    }
    count *= length;
  }
  payload.values = take_residues(reader, count, 8 * payload.words);
  payload.rows = rows_of(payload.shape, p);
  return payload;
}

std::uint64_t plain_array_expanded_bytes(const Envelope& envelope) {
  const PlainArrayPayload payload = plain_array_payload(envelope);
  const rlwe::Parameters& p = envelope.parameters();
  const std::uint64_t limb = p.degree() * bytes_of(p.word()), limbs = 1 + p.moduli().size();
  return payload.values.bytes.size() + payload.rows * p.plain_moduli().size() * limbs * limb;
}

}  // namespace cyclotome::io
