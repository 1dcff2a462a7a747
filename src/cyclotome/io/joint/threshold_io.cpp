// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/joint/threshold_io.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/context_check.hpp"
#include "cyclotome/io/objects/polynomials_io.hpp"

namespace cyclotome::io {

namespace {

void write_parties(ByteWriter& writer, std::span<const std::uint32_t> parties) {
  writer.u32(static_cast<std::uint32_t>(parties.size()));
  for (const std::uint32_t party : parties) writer.u32(party);
}

void write_signature(ContainerWriter& container, std::span<const std::uint8_t> signature) {
  if (!signature.empty()) container.section(layout::signature).bytes(signature);
}

}  // namespace

Bytes serialize(const rlwe::ThresholdSession& session, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::threshold_session, session.parameters(), session.id(), metadata, 4096);
  ByteWriter& writer = container.section(layout::threshold_session);
  writer.bytes(session.reference().bytes());
  writer.u32(static_cast<std::uint32_t>(session.threshold()));
  writer.u32(session.relinearization() ? 1 : 0);
  write_parties(writer, session.parties());
  writer.u32(static_cast<std::uint32_t>(session.galois_elements().size()));
  for (const std::uint64_t element : session.galois_elements()) writer.u64(element);
  writer.u32(static_cast<std::uint32_t>(session.audit()));
  writer.u64(session.decryptions());
  return container.finish();
}

Bytes serialize(const rlwe::Commitment& commitment, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::key_commitment, commitment.parameters(), rlwe::session_id(commitment.session()),
                            metadata);
  ByteWriter& writer = container.section(layout::key_commitment);
  writer.bytes(commitment.session());
  writer.u32(commitment.party());
  writer.bytes(commitment.digest());
  write_signature(container, commitment.signature());
  return container.finish();
}

Bytes serialize(const rlwe::Coin& coin, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::coin, coin.parameters(), rlwe::session_id(coin.session()), metadata);
  ByteWriter& writer = container.section(layout::coin);
  writer.bytes(coin.session());
  writer.u32(coin.party());
  writer.u32(static_cast<std::uint32_t>(coin.stage()));
  writer.bytes(coin.basis());
  writer.bytes(coin.value());
  write_signature(container, coin.signature());
  return container.finish();
}

Bytes serialize(const rlwe::Acceptance& acceptance, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::acceptance, acceptance.parameters(), rlwe::session_id(acceptance.session()),
                            metadata);
  ByteWriter& writer = container.section(layout::acceptance);
  writer.bytes(acceptance.session());
  writer.u32(acceptance.party());
  writer.bytes(acceptance.seen());
  write_signature(container, acceptance.signature());
  return container.finish();
}

Bytes serialize(const rlwe::KeyShare& share, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::key_share, share.context()->parameters(), rlwe::session_id(share.session()), metadata,
                            share.bodies().bytes());
  ByteWriter& writer = container.section(layout::key_share);
  writer.bytes(share.session());
  writer.u32(share.party());
  writer.u32(static_cast<std::uint32_t>(share.round()));
  writer.bytes(share.basis());
  writer.u64(share.bodies().batch());
  write_polynomials(writer, share.bodies(), 1);
  if (const rlwe::Opened& opened = share.opened(); !opened.candidates.empty()) {
    ByteWriter& seeds = container.section(layout::key_opening);
    seeds.bytes(opened.coin);
    for (const rlwe::Opened::Candidate& each : opened.candidates) {
      seeds.bytes(each.seed.bytes());
      seeds.bytes(each.hash);
    }
  }
  if (const rlwe::ShareProof& proof = share.proof(); !proof.answers.empty()) {
    ByteWriter& own = container.section(layout::share_proof);
    own.bytes(proof.challenge);
    own.bytes(proof.answers);
  }
  write_signature(container, share.signature());
  return container.finish();
}

Bytes serialize(const rlwe::SecretShare& share, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::secret_share, share.context()->parameters(), rlwe::session_id(share.session()),
                            metadata, share.share().bytes());
  write_share(container.section(layout::secret_share), share);
  return container.finish();
}

void write_share(ByteWriter& writer, const rlwe::SecretShare& share) {
  writer.bytes(share.session());
  writer.u32(share.from());
  writer.u32(share.to() | share.epoch() << 16);
  write_polynomials(writer, share.share(), 1);
}

Bytes serialize(const rlwe::ThresholdSession& session, const rlwe::PartyState& party,
                std::span<const std::uint8_t> metadata) {
  session.require_same("the party's state", party.session());
  ContainerWriter container(Kind::party, session.parameters(), session.id(), metadata, party_bytes(party));
  write_party(container.section(layout::party), party);
  return container.finish();
}

void write_party(ByteWriter& writer, const rlwe::PartyState& party) {
  writer.bytes(party.session());
  writer.u32(party.party());
  const rlwe::Accepted& accepted = party.accepted();
  const bool accepts = accepted.transcript != Digest{};
  writer.u32((party.has_answered() ? 1 : 0) + (accepts ? 2 : 0) + (accepted.by_all ? 4 : 0));
  writer.u32(static_cast<std::uint32_t>(party.commitments().size()));
  writer.bytes(party.seed().bytes());
  writer.bytes(party.answered());
  if (accepts) writer.bytes(accepted.transcript);
  for (const Digest& each : party.commitments()) writer.bytes(each);
  const rlwe::Audited& audited = party.audited();
  writer.u32(static_cast<std::uint32_t>(audited.tosses.size()));
  writer.u32(static_cast<std::uint32_t>(audited.candidates.size()));
  writer.bytes(audited.coin);
  for (const Digest& each : audited.tosses) writer.bytes(each);
  for (const Digest& each : audited.candidates) writer.bytes(each);
  writer.u64(party.decrypted().ciphertexts);
  for (const Digest& each : party.decrypted().questions) writer.bytes(each);
}

Bytes serialize(const value::DecryptionShare& share, std::span<const std::uint8_t> metadata) {
  const value::DecryptionShare::Facts& facts = share.facts();
  std::uint64_t bytes = 0;
  for (const PolyArray& channel : share.channels()) bytes += channel.bytes();
  ContainerWriter container(Kind::decryption_share, share.context()->parameters(), facts.key, metadata, bytes);
  ByteWriter& writer = container.section(layout::decryption_share);
  writer.bytes(facts.session);
  writer.bytes(facts.array);
  writer.u32(facts.party | facts.epoch << 16);
  writer.u32(facts.flooding_bits);
  write_parties(writer, facts.active);
  for (std::size_t i = 0; i < share.channels().size(); ++i) {
    const PolyArray& channel = share.channels()[i];
    ByteWriter& own = container.section(layout::decryption_channel);
    own.u32(static_cast<std::uint32_t>(i));
    own.u32(static_cast<std::uint32_t>(channel.limbs()));
    own.u64(channel.batch());
    write_polynomials(own, channel, 1);
  }
  return container.finish();
}

rlwe::ThresholdSession read_threshold_session(const Container& container) {
  ThresholdSessionPayload payload = threshold_session_payload(container);
  require_current("this session", payload.first_version);
  return std::move(payload.session);
}

rlwe::Commitment read_key_commitment(const Container& container) {
  const KeyCommitmentPayload payload = key_commitment_payload(container);
  rlwe::Commitment commitment(container.parameters(), payload.session, payload.party, payload.digest);
  commitment.attach(payload.signature);
  return commitment;
}

rlwe::Coin read_coin(const Container& container) {
  const CoinPayload payload = coin_payload(container);
  rlwe::Coin coin(container.parameters(), payload.session, payload.party, payload.stage, payload.basis, payload.value);
  coin.attach(payload.signature);
  return coin;
}

rlwe::Acceptance read_acceptance(const Container& container) {
  const KeyCommitmentPayload payload = acceptance_payload(container);
  rlwe::Acceptance acceptance(container.parameters(), payload.session, payload.party, payload.digest);
  acceptance.attach(payload.signature);
  return acceptance;
}

rlwe::KeyShare read_key_share(const Container& container, const rlwe::ContextPtr& context) {
  const KeySharePayload payload = key_share_payload(container);
  require_current("this key share", payload.first_version);
  require_loadable(container, *context);
  PolyArray bodies = context->make(context->key_ring(), payload.items, 1, Domain::transform);
  read_polynomials(bodies, 1, payload.residues.bytes, payload.residues.offset);
  rlwe::KeyShare share(context, payload.session, payload.party, payload.round, payload.basis, std::move(bodies));
  share.open(payload.opened);
  share.prove(payload.proof);
  share.attach(payload.signature);
  return share;
}

rlwe::SecretShare read_secret_share(const Container& container, const rlwe::ContextPtr& context) {
  return share_of(secret_share_payload(container), container, context);
}

rlwe::SecretShare share_of(const SecretSharePayload& payload, const Container& container,
                           const rlwe::ContextPtr& context) {
  require_current("this secret share", payload.first_version);
  require_loadable(container, *context);
  PolyArray share = context->make(context->ciphertext_ring(), 1, 1, Domain::transform, true);
  read_polynomials(share, 1, payload.residues.bytes, payload.residues.offset);
  return {context, payload.session, payload.from, payload.to, std::move(share), payload.epoch};
}

value::DecryptionShare read_decryption_share(const Container& container, const rlwe::ContextPtr& context) {
  const DecryptionSharePayload payload = decryption_share_payload(container);
  require_current("this decryption share", payload.first_version);
  require_loadable(container, *context);
  std::vector<PolyArray> channels;
  for (const DecryptionSharePayload::Channel& channel : payload.channels) {
    PolyArray polynomials = context->make(context->level_ring(channel.level), channel.batch, 1, Domain::coefficient);
    read_polynomials(polynomials, 1, channel.residues.bytes, channel.residues.offset);
    channels.push_back(std::move(polynomials));
  }
  return {context, payload.facts, std::move(channels)};
}

rlwe::PartyState read_party_state(const Container& container) { return party_payload(container); }

}  // namespace cyclotome::io
