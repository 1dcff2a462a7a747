// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/protected_key.hpp"

#include <algorithm>

#include "cyclotome/io/container_layout.hpp"
#include "cyclotome/io/context_check.hpp"
#include "cyclotome/io/key_coefficients.hpp"
#include "cyclotome/io/libcrypto.hpp"
#include "cyclotome/io/threshold_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/sha256.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;

ZeroisingVector<std::uint8_t> derived_key(Span passphrase, Span salt, const ScryptCost& cost) {
  return libcrypto::scrypt(passphrase, salt, cost.log2_n, cost.r, cost.p, libcrypto::aead_key_bytes);
}

/// A container whose one section is encrypted: `write` appends the secret, `text_bytes` of it.
template <class Write>
Bytes sealed(ContainerWriter container, std::size_t text_bytes, const Write& write, Span passphrase,
             const ScryptCost& cost) {
  if (passphrase.empty()) throw ArgumentError("a passphrase of no characters protects nothing; choose a longer one");
  require_possible(cost);
  const Seed salt = Seed::from_system(), random = Seed::from_system();
  const Span nonce = Span(random.bytes()).first(libcrypto::aead_nonce_bytes);
  ByteWriter& writer = container.section(layout::sealed_key);
  for (const std::uint32_t field : {scrypt_and_chacha, cost.log2_n, cost.r, cost.p}) writer.u32(field);
  writer.bytes(salt.bytes());
  writer.bytes(nonce);
  const std::size_t before = writer.size();
  write(writer);
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

/// What was encrypted, in locked memory. Throws PassphraseError.
Bytes opened(const SealedPayload& sealed, Span passphrase, const char* secret) {
  if (passphrase.empty()) {
    throw PassphraseError(message("this ", secret, " is protected by a passphrase, and none was given"));
  }
  Bytes text(sealed.text.size(), Residence::locked);
  std::ranges::copy(sealed.text, text.begin());
  if (!libcrypto::open(derived_key(passphrase, sealed.salt, sealed.cost), sealed.nonce, sealed.header, text,
                       sealed.tag)) {
    throw PassphraseError(message("the passphrase does not open this ", secret,
                                  ": it is another one, or the file was changed; try again, or take a backup of the ",
                                  "file"));
  }
  return text;
}

}  // namespace

Bytes serialize_protected(const rlwe::SecretKey& key, Span passphrase, Span metadata, const ScryptCost& cost) {
  const rlwe::Parameters& parameters = key.context()->parameters();
  const std::size_t size = packed_key_bytes(parameters);
  return sealed(
      ContainerWriter(Kind::protected_secret_key, parameters, key.id(), metadata, size + 256), size,
      [&](ByteWriter& writer) { pack_key(writer.extend(size), key); }, passphrase, cost);
}

Bytes serialize_protected(const rlwe::SecretShare& share, Span passphrase, Span metadata, const ScryptCost& cost) {
  const rlwe::Parameters& parameters = share.context()->parameters();
  const std::size_t size = secret_share_bytes(parameters);
  return sealed(
      ContainerWriter(Kind::protected_secret_share, parameters, rlwe::session_id(share.session()), metadata,
                      size + 256),
      size, [&](ByteWriter& writer) { write_share(writer, share); }, passphrase, cost);
}

Bytes serialize_protected(const rlwe::ThresholdSession& session, const rlwe::PartyState& party, Span passphrase,
                          Span metadata, const ScryptCost& cost) {
  session.require_same("the party's state", party.session());
  const std::size_t size = party_bytes(party.commitments().size());
  return sealed(
      ContainerWriter(Kind::protected_party, session.parameters(), session.id(), metadata, size + 256), size,
      [&](ByteWriter& writer) { write_party(writer, party); }, passphrase, cost);
}

ScryptCost protection_of(const Container& container) { return sealed_payload(container).cost; }

rlwe::SecretKey read_protected_key(const Container& container, const rlwe::ContextPtr& context, Span passphrase,
                                   rlwe::KeyCheck check) {
  container.require_kind(Kind::protected_secret_key);
  const SealedPayload sealed = sealed_payload(container);
  require_loadable(container, *context);
  return unpack_key(opened(sealed, passphrase, "secret key"), context, container.key_id(), check);
}

rlwe::SecretShare read_protected_share(const Container& container, const rlwe::ContextPtr& context, Span passphrase) {
  container.require_kind(Kind::protected_secret_share);
  const SealedPayload sealed = sealed_payload(container);
  require_loadable(container, *context);
  const Bytes text = opened(sealed, passphrase, "secret share");
  return share_of(secret_share_payload(container, text, sealed.header.size()), container, context);
}

rlwe::PartyState read_protected_party(const Container& container, Span passphrase) {
  container.require_kind(Kind::protected_party);
  const SealedPayload sealed = sealed_payload(container);
  const Bytes text = opened(sealed, passphrase, "party's file");
  return party_payload(container, text, sealed.header.size());
}

}  // namespace cyclotome::io
