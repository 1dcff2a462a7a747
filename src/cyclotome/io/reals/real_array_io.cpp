// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/reals/real_array_io.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"

namespace cyclotome::io {

Bytes serialize(const value::RealArray& array, std::span<const std::uint8_t> metadata) {
  // The noise that follows from bound and error alone, whatever way they came about.
  const ckks::Approximate& numbers = array.numbers();
  const ckks::Approximate whole = ckks::with_phase(numbers.ciphertext, numbers.about, "storing an array");
  ContainerWriter container(Kind::bundle, array.parameters(), array.key(), metadata,
                            1024 + section_bytes(whole.ciphertext));
  ByteWriter& writer = container.section(layout::real_array);
  writer.u8(static_cast<std::uint8_t>(array.field()));
  writer.u8(array.layout().packed() ? 1 : 0);
  writer.u8(array.layout().clean() || !value::has_padding(array.layout()) ? 1 : 0);
  writer.u8(static_cast<std::uint8_t>(array.shape().size()));
  for (const std::size_t length : array.shape()) writer.u64(length);
  const rlwe::NoiseBound error = array.parameters().noise().tidy(whole.about.error);
  for (const double number : {whole.about.bound, error.log2_max, error.log2_rms, error.log2_canonical}) {
    writer.f64(number);
  }
  write_section(container, whole.ciphertext);
  return container.finish();
}

value::RealArray read_real_array(const Container& container, const rlwe::ContextPtr& context) {
  RealArrayPayload payload = real_array_payload(container);
  std::vector<rlwe::Ciphertext> channels = read_bundle(container, context);
  return {ckks::with_phase(channels[0], payload.about, "loading an array"), std::move(payload.layout), payload.field};
}

}  // namespace cyclotome::io
