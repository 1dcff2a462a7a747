// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/plain_array_io.hpp"

#include "cyclotome/io/container_layout.hpp"
#include "cyclotome/io/context_check.hpp"
#include "cyclotome/io/payload_sections.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/bound.hpp"
#include "cyclotome/value/layout.hpp"

namespace cyclotome::io {

namespace {

constexpr std::size_t most_words = 255;

/// As few words as hold every value.
value::Integers narrowed(const value::Integers& values) {
  std::size_t words = 1;
  const std::size_t all = values.words();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto own = values.value_words(i);
    std::size_t needed = all;
    // The highest word says nothing where it only repeats the sign of the one below.
    while (needed > 1 && own[needed - 1] == (own[needed - 2] >> 63 ? ~std::uint64_t{0} : 0)) --needed;
    words = std::max(words, needed);
  }
  return words == all ? values : values.resized(words);
}

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

Bytes serialize(const PlainValues& plain, std::span<const std::uint8_t> metadata) {
  value::require_plain("storing a plain array", plain.parameters, plain.values);
  const value::Integers values = narrowed(plain.values);
  const value::Shape& shape = values.shape();
  if (values.words() > most_words || shape.size() > value::max_axes) {
    throw ArgumentError(message("a plain array of ", shape.size(), " axes whose integers take ", values.words(),
                                " words of 64 bits; files hold ", value::max_axes, " axes and ", most_words,
                                " words at most"));
  }
  ContainerWriter container(Kind::plain_array, plain.parameters, {}, metadata, 8 * values.data().size());
  ByteWriter& writer = container.section(layout::plain_array);
  writer.u8(static_cast<std::uint8_t>(shape.size()));
  writer.u8(static_cast<std::uint8_t>(values.words()));
  writer.u16(0);
  writer.u32(0);
  for (const std::size_t length : shape) writer.u64(length);
  for (const std::uint64_t word : values.data()) writer.u64(word);
  return container.finish();
}

Bytes serialize(const value::PlainArray& plain, std::span<const std::uint8_t> metadata) {
  return serialize(PlainValues{plain.context()->parameters(), plain.values()}, metadata);
}

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

PlainValues read_plain_values(const Container& container) {
  const PlainArrayPayload payload = plain_array_payload(container);
  container.require_expanded(plain_array_expanded_bytes(container));
  ByteReader reader(payload.values.bytes, payload.values.offset, "the values of a plain array");
  value::Integers::Words words(payload.values.bytes.size() / 8);
  for (std::uint64_t& word : words) word = reader.u64();
  value::Integers values(payload.shape, payload.words, std::move(words));
  if (narrowed(values).words() != payload.words) {
    refuse(payload.values.offset, message("has integers of ", payload.words, " words that fit fewer"));
  }
  return {container.parameters(), std::move(values)};
}

value::PlainArray read_plain_array(const Container& container, const rlwe::ContextPtr& context) {
  container.require_kind(Kind::plain_array);
  require_loadable(container, *context);
  return {context, read_plain_values(container).values};
}

}  // namespace cyclotome::io
