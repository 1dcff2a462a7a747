// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/array_io.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

void write_words(ByteWriter& writer, const BigUnsigned& value) {
  for (const std::uint64_t limb : value.limbs()) writer.u64(limb);
}

void write_signed(ByteWriter& writer, const value::Integer& value) {
  writer.u16(static_cast<std::uint16_t>(value.magnitude.limbs().size()));
  writer.u16(value.negative ? 1 : 0);
  write_words(writer, value.magnitude);
}

void write_description(ByteWriter& writer, const value::Layout& layout, const value::Bound& bound) {
  const BigUnsigned none;
  const BigUnsigned &largest = bound.wraps() ? none : bound.largest(), &row = bound.wraps() ? none : bound.row();
  const bool interval = !bound.wraps() && !bound.values().is_symmetric();
  writer.u8(static_cast<std::uint8_t>(layout.placement()));
  writer.u8(layout.clean() ? 1 : 0);
  writer.u8(bound.is_bits() ? 2 : bound.wraps() ? 0 : interval ? 3 : 1);
  writer.u8(static_cast<std::uint8_t>(layout.shape().size()));
  writer.u16(static_cast<std::uint16_t>(largest.limbs().size()));
  writer.u16(static_cast<std::uint16_t>(row.limbs().size()));
  for (const std::size_t length : layout.shape()) writer.u64(length);
  write_words(writer, largest);
  write_words(writer, row);
  if (!interval) return;
  write_signed(writer, bound.values().low);
  write_signed(writer, bound.values().high);
}

}  // namespace

Bytes serialize(const value::EncryptedArray& array, std::span<const std::uint8_t> metadata,
                const value::Options& options) {
  value::require_decryptable("storing an array", array.channels(), options);
  std::uint64_t payload = 1024;
  for (const rlwe::Ciphertext& channel : array.channels()) payload += section_bytes(channel);
  ContainerWriter container(Kind::bundle, array.parameters(), array.key(), metadata, payload);
  write_description(container.section(layout::array), array.layout(), array.bound());
  for (const rlwe::Ciphertext& channel : array.channels()) write_section(container, channel);
  return container.finish();
}

value::EncryptedArray read_array(const Container& container, const rlwe::ContextPtr& context) {
  const ArrayPayload description = array_payload(container);
  std::vector<rlwe::Ciphertext> channels = read_bundle(container, context);
  return {{std::move(channels), description.layout}, description.bound};
}

}  // namespace cyclotome::io
