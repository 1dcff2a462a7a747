// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/protected_key.hpp"

#include <algorithm>

#include "cyclotome/io/container_layout.hpp"
#include "cyclotome/io/context_check.hpp"
#include "cyclotome/io/key_coefficients.hpp"
#include "cyclotome/io/libcrypto.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/sha256.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;

constexpr std::uint32_t scrypt_and_chacha = 1;
constexpr std::size_t salt_bytes = 32;

/// The one section of the container.
struct Sealed {
  ScryptCost cost;
  Span salt, nonce, text, tag;
  Span header;  ///< all bytes of the container before the text
};

bool within(std::uint32_t value, std::uint32_t low, std::uint32_t high) noexcept {
  return value >= low && value <= high;
}

bool within_bounds(const ScryptCost& c) noexcept {
  constexpr ScryptCost low = least_scrypt_cost, high = most_scrypt_cost;
  return within(c.log2_n, low.log2_n, high.log2_n) && within(c.r, low.r, high.r) && within(c.p, low.p, high.p);
}

std::string words(const ScryptCost& c) { return message("scrypt with N = 2^", c.log2_n, ", r = ", c.r, ", p = ", c.p); }

std::string bounds() {
  return message("N = 2^", least_scrypt_cost.log2_n, " to 2^", most_scrypt_cost.log2_n, ", r = ", most_scrypt_cost.r,
                 " and p = ", least_scrypt_cost.p, " to ", most_scrypt_cost.p);
}

Sealed sealed_section(const Container& container) {
  container.require_kind(Kind::protected_secret_key);
  const auto payload = container.payload();
  if (payload.size() != 1 || payload[0].tag != layout::sealed_key) {
    throw FormatError(message(name_of(container.kind()), " needs one section ", layout::sealed_key,
                              ": the data is damaged; get a fresh copy"));
  }
  ByteReader reader(payload[0].bytes, payload[0].offset, "a protected secret key");
  const std::uint32_t method = reader.u32();
  if (method != scrypt_and_chacha) {
    throw FormatError(message("a secret key is protected by method ", method, " at offset ", payload[0].offset,
                              ", which is unknown; use the library version that wrote it or a newer one"));
  }
  Sealed sealed;
  sealed.cost = {reader.u32(), reader.u32(), reader.u32()};
  if (!within_bounds(sealed.cost)) {
    throw FormatError(message("a secret key asks for ", words(sealed.cost), " at offset ", payload[0].offset + 4,
                              "; files may ask for ", bounds(), ": it was not written by this library"));
  }
  sealed.salt = reader.take(salt_bytes);
  sealed.nonce = reader.take(libcrypto::aead_nonce_bytes);
  const std::size_t before = reader.offset();
  sealed.text = reader.take(packed_key_bytes(container.parameters()));
  sealed.tag = reader.take(libcrypto::aead_tag_bytes);
  reader.finish();
  sealed.header = {sealed.text.data() - before, before};  // sections are views of the container's bytes
  return sealed;
}

ZeroisingVector<std::uint8_t> derived_key(Span passphrase, Span salt, const ScryptCost& cost) {
  return libcrypto::scrypt(passphrase, salt, cost.log2_n, cost.r, cost.p, libcrypto::aead_key_bytes);
}

}  // namespace

Bytes serialize_protected(const rlwe::SecretKey& key, Span passphrase, Span metadata, const ScryptCost& cost) {
  if (passphrase.empty()) throw ArgumentError("a passphrase of no characters protects nothing; choose a longer one");
  if (!within_bounds(cost)) {
    throw ArgumentError(message(words(cost), " is out of bounds; possible are ", bounds()));
  }
  const rlwe::Parameters& parameters = key.context()->parameters();
  const Seed salt = Seed::from_system(), random = Seed::from_system();
  const Span nonce = Span(random.bytes()).first(libcrypto::aead_nonce_bytes);
  const std::size_t text_bytes = packed_key_bytes(parameters);
  ContainerWriter container(Kind::protected_secret_key, parameters, key.id(), metadata, text_bytes + 256);
  ByteWriter& writer = container.section(layout::sealed_key);
  for (const std::uint32_t field : {scrypt_and_chacha, cost.log2_n, cost.r, cost.p}) writer.u32(field);
  writer.bytes(salt.bytes());
  writer.bytes(nonce);
  const std::size_t before = writer.size();
  pack_key(writer.extend(text_bytes), key);
  writer.extend(libcrypto::aead_tag_bytes);
  // Lengths are part of what the tag vouches for, so they come first; the checksum is that of the finished bytes.
  Bytes bytes = container.finish();
  const std::span<std::uint8_t> whole(bytes), text = whole.subspan(before, text_bytes);
  const auto tag = libcrypto::seal(derived_key(passphrase, salt.bytes(), cost), nonce, whole.first(before), text);
  std::ranges::copy(tag, whole.subspan(before + text_bytes).begin());
  const Span body = whole.first(whole.size() - layout::checksum_bytes);
  std::ranges::copy(sha256(body), whole.last(layout::checksum_bytes).begin());
  return bytes;
}

ScryptCost protection_of(const Container& container) { return sealed_section(container).cost; }

rlwe::SecretKey read_protected_key(const Container& container, const rlwe::ContextPtr& context, Span passphrase,
                                   rlwe::KeyCheck check) {
  const Sealed sealed = sealed_section(container);
  require_loadable(container, *context);
  if (passphrase.empty()) throw PassphraseError("this secret key is protected by a passphrase, and none was given");
  Bytes text(sealed.text.size(), Residence::locked);
  std::ranges::copy(sealed.text, text.begin());
  if (!libcrypto::open(derived_key(passphrase, sealed.salt, sealed.cost), sealed.nonce, sealed.header, text,
                       sealed.tag)) {
    throw PassphraseError(
        "the passphrase does not open this secret key: it is another one, or the file was changed; try again, or take "
        "a backup of the file");
  }
  return unpack_key(text, context, container.key_id(), check);
}

}  // namespace cyclotome::io
