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

ZeroisingVector<std::uint8_t> derived_key(Span passphrase, Span salt, const ScryptCost& cost) {
  return libcrypto::scrypt(passphrase, salt, cost.log2_n, cost.r, cost.p, libcrypto::aead_key_bytes);
}

}  // namespace

Bytes serialize_protected(const rlwe::SecretKey& key, Span passphrase, Span metadata, const ScryptCost& cost) {
  if (passphrase.empty()) throw ArgumentError("a passphrase of no characters protects nothing; choose a longer one");
  require_possible(cost);
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

ScryptCost protection_of(const Container& container) { return sealed_key_payload(container).cost; }

rlwe::SecretKey read_protected_key(const Container& container, const rlwe::ContextPtr& context, Span passphrase,
                                   rlwe::KeyCheck check) {
  const SealedKeyPayload sealed = sealed_key_payload(container);
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
