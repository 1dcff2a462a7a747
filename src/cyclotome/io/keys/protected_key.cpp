// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/keys/protected_key.hpp"

#include "cyclotome/io/container/context_check.hpp"
#include "cyclotome/io/joint/threshold_io.hpp"
#include "cyclotome/io/keys/key_coefficients.hpp"
#include "cyclotome/io/keys/sealing.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;

}  // namespace

Bytes serialize_protected(const rlwe::SecretKey& key, Span passphrase, Span metadata, const ScryptCost& cost) {
  const rlwe::Parameters& parameters = key.context()->parameters();
  const std::size_t size = packed_key_bytes(parameters);
  ContainerWriter container(Kind::protected_secret_key, parameters, key.id(), metadata, size + 256);
  return sealed_frame(
      container, size, [&](ByteWriter& writer) { pack_key(writer.extend(size), key); }, passphrase, cost);
}

Bytes serialize_protected(const rlwe::SecretShare& share, Span passphrase, Span metadata, const ScryptCost& cost) {
  const rlwe::Parameters& parameters = share.context()->parameters();
  const std::size_t size = secret_share_bytes(parameters);
  ContainerWriter container(Kind::protected_secret_share, parameters, rlwe::session_id(share.session()), metadata,
                            size + 256);
  return sealed_frame(container, size, [&](ByteWriter& writer) { write_share(writer, share); }, passphrase, cost);
}

Bytes serialize_protected(const rlwe::ThresholdSession& session, const rlwe::PartyState& party, Span passphrase,
                          Span metadata, const ScryptCost& cost) {
  session.require_same("the party's state", party.session());
  const std::size_t size = party_bytes(party);
  ContainerWriter container(Kind::protected_party, session.parameters(), session.id(), metadata, size + 256);
  return sealed_frame(container, size, [&](ByteWriter& writer) { write_party(writer, party); }, passphrase, cost);
}

ScryptCost protection_of(const Container& container) { return sealed_payload(container).cost; }

rlwe::SecretKey read_protected_key(const Container& container, const rlwe::ContextPtr& context, Span passphrase,
                                   rlwe::KeyCheck check) {
  container.require_kind(Kind::protected_secret_key);
  const SealedPayload sealed = sealed_payload(container);
  require_loadable(container, *context);
  return unpack_key(opened_text(sealed, passphrase, "secret key"), context, container.key_id(), check);
}

rlwe::SecretShare read_protected_share(const Container& container, const rlwe::ContextPtr& context, Span passphrase) {
  container.require_kind(Kind::protected_secret_share);
  const SealedPayload sealed = sealed_payload(container);
  require_loadable(container, *context);
  const Bytes text = opened_text(sealed, passphrase, "secret share");
  return share_of(secret_share_payload(container, text, sealed.header.size()), container, context);
}

rlwe::PartyState read_protected_party(const Container& container, Span passphrase) {
  container.require_kind(Kind::protected_party);
  const SealedPayload sealed = sealed_payload(container);
  const Bytes text = opened_text(sealed, passphrase, "party's file");
  return party_payload(container, text, sealed.header.size());
}

}  // namespace cyclotome::io
