// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/product_context_io.hpp"

#include <algorithm>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

using study::ProductContext;

constexpr const char* damaged = ": the data is damaged; get a fresh copy";

std::size_t limbs_of(const BigUnsigned& value) { return (value.bit_length() + 63) / 64; }

void write_big(ByteWriter& writer, const BigUnsigned& value, std::size_t limbs) {
  for (std::size_t i = 0; i < limbs; ++i) writer.u64(i < value.limbs().size() ? value.limbs()[i] : 0);
}

BigUnsigned read_big(ByteReader& reader, std::size_t limbs) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < limbs; ++i) words.push_back(reader.u64());
  return BigUnsigned::from_limbs(words);
}

void write_section(ByteWriter& writer, const ProductContext& context) {
  const std::size_t wide = limbs_of(context.modulus());
  writer.u32(static_cast<std::uint32_t>(context.degree()));
  writer.u16(static_cast<std::uint16_t>(context.primes().size()));
  writer.u16(static_cast<std::uint16_t>(wide));
  for (const auto& p : context.primes()) {
    const std::size_t limbs = limbs_of(p.prime);
    writer.u16(static_cast<std::uint16_t>(limbs));
    for (const auto* value : {&p.prime, &p.cofactor, &p.generator, &p.root}) write_big(writer, *value, limbs);
    write_big(writer, p.coefficient, wide);
  }
  write_big(writer, context.modulus(), wide);
}

/// Degree, primes and generators, from which all else follows; the bytes that follow from them are compared later.
ProductContext read_section(const Section& section) {
  ByteReader reader(section.bytes, section.offset, "the product context");
  const std::uint32_t degree = reader.u32();
  const std::uint16_t count = reader.u16(), wide = reader.u16();
  if (count > ProductContext::max_primes) {
    throw FormatError(message("a context of ", count, " primes at offset ", section.offset, "; at most ",
                              ProductContext::max_primes, " are allowed", damaged));
  }
  std::vector<BigUnsigned> primes, generators;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t offset = reader.offset();
    const std::uint16_t limbs = reader.u16();
    if (limbs == 0 || limbs > study::max_modulus_bits / 64) {
      throw FormatError(message("a prime of ", limbs, " words at offset ", offset, "; 1 to ",
                                study::max_modulus_bits / 64, " are allowed", damaged));
    }
    primes.push_back(read_big(reader, limbs));
    reader.take(std::uint64_t{limbs} * 8);
    generators.push_back(read_big(reader, limbs));
    reader.take(std::uint64_t{limbs} * 8 + std::uint64_t{wide} * 8);
  }
  reader.take(std::uint64_t{wide} * 8);
  reader.finish();
  try {
    return {degree, primes, generators};
  } catch (const ParameterError& error) {
    throw FormatError(message("the product context at offset ", section.offset, " is impossible: ", error.what()));
  }
}

}  // namespace

Bytes serialize(const ProductContext& context) {
  FrameWriter writer(product_context_kind, context.fingerprint(), 8192);
  write_section(writer.section(layout::product_context), context);
  return writer.finish();
}

bool names_product_context(std::span<const std::uint8_t> bytes) noexcept {
  return names_kind(bytes, product_context_kind);
}

ProductContext read_product_context(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes) {
  const Frame frame = open_frame(bytes, max_bytes, format_version);
  if (frame.kind != product_context_kind) {
    throw FormatError(message("the data holds an object of kind ", frame.kind, ", not a context of polynomial products",
                              " (kind ", product_context_kind, ")"));
  }
  ByteReader reader(frame.sections, layout::header_bytes, "a section");
  const Section section = next_section(reader);
  reader.finish();
  if (section.tag != layout::product_context) {
    throw FormatError(message("the section is ", section.tag, ", not ", layout::product_context, damaged));
  }
  const ProductContext context = read_section(section);
  ByteWriter canonical;
  write_section(canonical, context);
  if (const auto difference = std::ranges::mismatch(canonical.view(), section.bytes);
      difference.in1 != canonical.view().end() || difference.in2 != section.bytes.end()) {
    throw FormatError(message("the product context differs at offset ",
                              section.offset + static_cast<std::uint64_t>(difference.in2 - section.bytes.begin()),
                              " from what its primes and generators give (cofactor, root of order 2N, coefficient of ",
                              "the Chinese remainder theorem, or product)", damaged));
  }
  if (!std::ranges::equal(context.fingerprint(), frame.fingerprint)) {
    throw FormatError(
        message("the fingerprint at offset ", layout::fingerprint_offset, " is not that of the context", damaged));
  }
  return context;
}

}  // namespace cyclotome::io
