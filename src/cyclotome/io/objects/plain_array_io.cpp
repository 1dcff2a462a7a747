// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/plain_array_io.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/context_check.hpp"
#include "cyclotome/io/objects/plain_array_payload.hpp"
#include "cyclotome/math/errors.hpp"

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

PlainValues read_plain_values(const Container& container) {
  const PlainArrayPayload payload = plain_array_payload(container);
  container.require_expanded(plain_array_expanded_bytes(container));
  ByteReader reader(payload.values.bytes, payload.values.offset, "the values of a plain array");
  value::Integers::Words words(payload.values.bytes.size() / 8);
  for (std::uint64_t& word : words) word = reader.u64();
  value::Integers values(payload.shape, payload.words, std::move(words));
  if (narrowed(values).words() != payload.words) {
    throw FormatError(message("the plain array's integers at offset ", payload.values.offset, " have ", payload.words,
                              " words and fit fewer: the data is damaged; get a fresh copy"));
  }
  return {container.parameters(), std::move(values)};
}

value::PlainArray read_plain_array(const Container& container, const rlwe::ContextPtr& context) {
  container.require_kind(Kind::plain_array);
  require_loadable(container, *context);
  return {context, read_plain_values(container).values};
}

}  // namespace cyclotome::io
