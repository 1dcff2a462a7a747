// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/joint/threshold_payload.hpp"

#include <algorithm>
#include <tuple>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/payload_sections.hpp"
#include "cyclotome/io/objects/polynomials_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::io {

namespace {

std::uint64_t key_polynomial_bytes(const rlwe::Parameters& p) {
  return packed_polynomial_bytes(p.degree(), key_moduli(p));
}

/// A party's number; zero: where it stands for all of them.
std::uint32_t read_party(ByteReader& reader, bool zero = false) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t party = reader.u32();
  if ((party == 0 && !zero) || party > 0xffff) {
    throw FormatError(message("party ", party, " at offset ", offset,
                              "; parties have numbers from 1 to 65535: ", "the data is damaged; get a fresh copy"));
  }
  return party;
}

/// A party's number in the low half, and how often its share was refreshed in the high one.
std::pair<std::uint32_t, std::uint32_t> read_party_of_epoch(ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t both = reader.u32();
  if ((both & 0xffff) != 0) return {both & 0xffff, both >> 16};
  throw FormatError(message("party 0 at offset ", offset,
                            "; parties have numbers from 1 to 65535: the data is damaged; get a fresh copy"));
}

/// The session's digest, whose id the container must have; or what the protocol's first version put there.
Digest read_session(ByteReader& reader, const Envelope& envelope, bool& first_version) {
  const std::uint64_t offset = reader.offset();
  const Digest digest = reader.array32();
  first_version = rlwe::first_version_id(digest) == envelope.key_id();
  if (!first_version && rlwe::session_id(digest) != envelope.key_id()) {
    throw FormatError(message("the session at offset ", offset,
                              " is not that of the container's id: the data is damaged; get a fresh copy"));
  }
  return digest;
}

/// What a party has helped to decrypt: all that is left of its file.
rlwe::Decrypted read_decrypted(ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  rlwe::Decrypted decrypted;
  decrypted.ciphertexts = reader.u64();
  const std::size_t bytes = reader.rest().size(), questions = bytes / sizeof(Digest);
  if (bytes % sizeof(Digest) != 0 || questions > rlwe::Decrypted::most_questions ||
      decrypted.ciphertexts > rlwe::most_planned || (questions == 0) != (decrypted.ciphertexts == 0)) {
    throw FormatError(message("the party's own file says at offset ", offset, " that it has helped to decrypt ",
                              decrypted.ciphertexts,
                              " ciphertexts, which does not fit what follows: the data is damaged"));
  }
  for (std::size_t i = 0; i < questions; ++i) decrypted.questions.push_back(reader.array32());
  reader.finish();
  return decrypted;
}

/// The section of a message, and its sender's signature, if there is one.
/// more: sections between the two that the caller has read.
const Section& signed_section(const Envelope& envelope, std::string_view tag, std::vector<std::uint8_t>& signature,
                              std::size_t more = 0) {
  const auto sections = envelope.payload();
  if (more == 0 && sections.size() != 2) return only_section(envelope, tag);
  const Section& last = sections.back();
  const bool is_signed = sections.size() == 2 + more;
  if ((!is_signed && sections.size() != 1 + more) || sections[0].tag != tag ||
      (is_signed && (last.tag != layout::signature || last.bytes.size() != rlwe::signature_bytes))) {
    throw FormatError(message(name_of(envelope.kind()), " needs a section ", tag, ", and at most one ",
                              layout::signature, " of ", rlwe::signature_bytes,
                              " bytes after it: the data is damaged; get a fresh copy"));
  }
  if (is_signed) signature.assign(last.bytes.begin(), last.bytes.end());
  return sections[0];
}

/// The candidates that a first share opens.
rlwe::Opened read_opened(const Section& section) {
  ByteReader reader(section.bytes, section.offset, "the candidates of a key share");
  rlwe::Opened opened{.coin = reader.array32(), .candidates = {}};
  constexpr std::size_t each = 2 * sizeof(Digest);
  const std::size_t rest = reader.rest().size();
  if (rest == 0 || rest % each != 0 || rest / each >= rlwe::most_candidates) {
    throw FormatError(message("the candidates at offset ", section.offset, " have ", rest,
                              " bytes; they are 64 for each of 1 to ", rlwe::most_candidates - 1,
                              ": the data is damaged; get a fresh copy"));
  }
  for (std::size_t i = 0; i < rest / each; ++i) {
    const PublicSeed seed(reader.array32());
    opened.candidates.push_back({seed, reader.array32()});
  }
  return opened;
}

/// The proof of a second share. Its length is the session's to know: whoever checks it does.
rlwe::ShareProof read_proof(const Section& section) {
  ByteReader reader(section.bytes, section.offset, "the proof of a key share");
  rlwe::ShareProof proof{.challenge = reader.array32(), .answers = {}};
  const auto rest = reader.rest();
  if (rest.empty()) {
    throw FormatError(message("the proof at offset ", section.offset,
                              " is empty: the data is damaged; get a fresh "
                              "copy"));
  }
  proof.answers.assign(rest.begin(), rest.end());
  return proof;
}

std::vector<std::uint32_t> read_parties(ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t count = reader.u32();
  if (count < 2 || count > rlwe::most_parties) {
    throw FormatError(message(count, " parties at offset ", offset, "; there are 2 to ", rlwe::most_parties,
                              ": the data is damaged; get a fresh copy"));
  }
  std::vector<std::uint32_t> parties;
  for (std::uint32_t i = 0; i < count; ++i) parties.push_back(read_party(reader));
  if (std::ranges::adjacent_find(parties, std::greater_equal<>()) != parties.end()) {
    throw FormatError(message("the parties at offset ", offset, " do not ascend: the data is damaged"));
  }
  return parties;
}

/// What a party keeps of an audit. shown: commitments that it has seen.
rlwe::Audited read_audited(ByteReader& reader, std::uint32_t shown) {
  rlwe::Audited audited;
  const std::uint64_t offset = reader.offset();
  const std::uint32_t tosses = reader.u32(), candidates = reader.u32();
  audited.coin = reader.array32();
  const bool none = tosses == 0 && candidates == 0 && audited.coin == Digest{};
  const bool some = tosses >= 2 && tosses <= rlwe::most_parties && (shown == 0 || tosses == shown) && candidates >= 2 &&
                    candidates <= rlwe::most_candidates && (shown != 0 || audited.coin == Digest{});
  if ((!none && !some) || reader.rest().size() < (std::size_t{tosses} + candidates) * sizeof(Digest)) {
    throw FormatError(message("the party's own file says at offset ", offset, " that it has seen ", tosses,
                              " tosses and drawn ", candidates,
                              " candidates, which does not fit what else it says: the data is damaged"));
  }
  for (std::uint32_t i = 0; i < tosses; ++i) audited.tosses.push_back(reader.array32());
  for (std::uint32_t i = 0; i < candidates; ++i) audited.candidates.push_back(reader.array32());
  return audited;
}

DecryptionSharePayload::Channel read_channel(const Section& section, const rlwe::Parameters& p, std::size_t number) {
  if (section.tag != layout::decryption_channel) {
    throw FormatError(message("section ", section.tag, " at offset ", section.offset,
                              " has no place in a decryption share: the data is damaged; get a fresh copy"));
  }
  ByteReader reader(section.bytes, section.offset, "a channel of a decryption share");
  const rlwe::PlainIndex plain = read_plain(reader, p);
  const std::uint32_t limbs = reader.u32();
  const std::uint64_t batch = reader.u64();
  const std::size_t most = p.moduli().size(), least = p.scheme().drops_primes() ? 1 : most;
  if (plain.number != number || limbs < least || limbs > most) {
    throw FormatError(message("the channel at offset ", section.offset, " is of plaintext modulus number ", plain,
                              " and level ", limbs, "; expected are ", number, " and a level from ", least, " to ",
                              most, ": the data is damaged"));
  }
  DecryptionSharePayload::Channel channel;
  channel.level = rlwe::Level(limbs);
  const auto moduli = std::span(p.moduli()).first(limbs);
  channel.residues = take_residues(reader, batch, packed_polynomial_bytes(p.degree(), moduli));
  channel.batch = static_cast<std::size_t>(batch);
  return channel;
}

}  // namespace

ThresholdSessionPayload threshold_session_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::threshold_session);
  const Section& section = only_section(envelope, layout::threshold_session);
  ByteReader reader(section.bytes, section.offset, "a session");
  rlwe::ThresholdSession::Facts facts;
  const PublicSeed reference(reader.array32());
  facts.threshold = reader.u32();
  const std::uint32_t relinearization = reader.u32();
  facts.relinearization = relinearization == 1;
  facts.parties = read_parties(reader);
  const std::uint64_t offset = reader.offset();
  const std::uint32_t elements = reader.u32();
  if (relinearization > 1 || elements > reader.rest().size() / 8) {
    throw FormatError(message("the session before offset ", offset, " states ", elements,
                              " Galois elements and a flag of ", relinearization,
                              " for relinearisation: the data is damaged; get a fresh copy"));
  }
  for (std::uint32_t i = 0; i < elements; ++i) facts.galois_elements.push_back(reader.u64());
  // The first version's sessions end here, and so do those of this one from before there were candidates and a budget.
  if (!reader.rest().empty()) facts.audit = reader.u32();
  const bool counts = !reader.rest().empty();
  if (counts) facts.decryptions = reader.u64();
  reader.finish();
  try {
    rlwe::ThresholdSession session(envelope.parameters(), std::move(facts), reference);
    const bool first_version = rlwe::first_version_id(session.first_version_digest()) == envelope.key_id();
    if (first_version && !counts) return {std::move(session), first_version};
    if (!counts) {
      throw FormatError(
          "this session is of a time before parties counted what they decrypt, and plans no number: make "
          "a new session and a new key, and encrypt anew what the old one encrypts");
    }
    if (session.id() == envelope.key_id()) return {std::move(session), first_version};
  } catch (const ArgumentError& error) {
    throw FormatError(message("the session at offset ", section.offset, " is none that can be: ", error.what()));
  }
  throw FormatError(message("the session at offset ", section.offset,
                            " is not that of the container's id: the data is damaged; get a fresh copy"));
}

KeySharePayload key_share_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::key_share);
  KeySharePayload payload;
  const auto sections = envelope.payload();
  const bool opens = sections.size() > 1 && sections[1].tag == layout::key_opening;
  const bool proves = sections.size() > 1 && sections[1].tag == layout::share_proof;
  if (opens) payload.opened = read_opened(sections[1]);
  if (proves) payload.proof = read_proof(sections[1]);
  const Section& section = signed_section(envelope, layout::key_share, payload.signature, opens || proves ? 1 : 0);
  ByteReader reader(section.bytes, section.offset, "a key share");
  payload.session = read_session(reader, envelope, payload.first_version);
  payload.party = read_party(reader);
  const std::uint32_t round = reader.u32();
  payload.basis = reader.array32();
  const bool stands_on_nothing = payload.first_version && round == 1;
  if (opens && (round != 1 || payload.first_version)) {
    throw FormatError(message("the key share at offset ", section.offset, " is of round ", round,
                              " and opens candidates, which only first shares do: the data is damaged"));
  }
  if (proves && (round != 2 || payload.first_version)) {
    throw FormatError(message("the key share at offset ", section.offset, " is of round ", round,
                              " and carries a proof, which only second shares do: the data is damaged"));
  }
  if (round < 1 || round > 2 || stands_on_nothing != (payload.basis == Digest{})) {
    throw FormatError(message("the key share at offset ", section.offset, " is of round ", round,
                              "; there are two, each of which names what it stands on: the data is damaged"));
  }
  payload.round = static_cast<rlwe::KeyShare::Round>(round);
  const std::uint64_t items = reader.u64();
  payload.residues = take_residues(reader, items, key_polynomial_bytes(envelope.parameters()));
  payload.items = static_cast<std::size_t>(items);
  return payload;
}

SecretSharePayload secret_share_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::secret_share);
  const Section& section = only_section(envelope, layout::secret_share);
  return secret_share_payload(envelope, section.bytes, section.offset);
}

std::size_t secret_share_bytes(const rlwe::Parameters& p) {
  constexpr std::size_t session_and_parties = sizeof(Digest) + 2 * sizeof(std::uint32_t);
  return session_and_parties + static_cast<std::size_t>(packed_polynomial_bytes(p.degree(), p.moduli()));
}

SecretSharePayload secret_share_payload(const Envelope& envelope, std::span<const std::uint8_t> opened,
                                        std::uint64_t offset) {
  const rlwe::Parameters& p = envelope.parameters();
  ByteReader reader(opened, offset, "a share of a joint secret");
  SecretSharePayload payload;
  payload.session = read_session(reader, envelope, payload.first_version);
  payload.from = read_party(reader, true);
  std::tie(payload.to, payload.epoch) = read_party_of_epoch(reader);
  payload.residues = take_residues(reader, 1, packed_polynomial_bytes(p.degree(), p.moduli()));
  return payload;
}

DecryptionSharePayload decryption_share_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::decryption_share);
  const rlwe::Parameters& p = envelope.parameters();
  const auto sections = envelope.payload();
  if (sections.size() != 1 + p.plain_moduli().size() || sections[0].tag != layout::decryption_share) {
    throw FormatError(message(name_of(envelope.kind()), " needs a section ", layout::decryption_share, " and ",
                              p.plain_moduli().size(), " of ", layout::decryption_channel,
                              ": the data is damaged; get a fresh copy"));
  }
  ByteReader reader(sections[0].bytes, sections[0].offset, "a decryption share");
  DecryptionSharePayload payload;
  payload.facts.session = reader.array32();
  payload.facts.key = envelope.key_id();
  payload.first_version = rlwe::first_version_id(payload.facts.session) == envelope.key_id();
  payload.facts.array = reader.array32();
  std::tie(payload.facts.party, payload.facts.epoch) = read_party_of_epoch(reader);
  payload.facts.flooding_bits = reader.u32();
  payload.facts.active = read_parties(reader);
  reader.finish();
  const bool takes_part = std::ranges::binary_search(payload.facts.active, payload.facts.party);
  if (payload.facts.flooding_bits < 1 || payload.facts.flooding_bits > 128 || !takes_part) {
    throw FormatError(message("the decryption share at offset ", sections[0].offset, " is of party ",
                              payload.facts.party, takes_part ? "" : ", who is none of those who decrypt,", " with ",
                              payload.facts.flooding_bits, " bits of flooding: the data is damaged"));
  }
  for (std::size_t i = 1; i < sections.size(); ++i) {
    payload.channels.push_back(read_channel(sections[i], p, i - 1));
  }
  return payload;
}

rlwe::PartyState party_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::party);
  const Section& section = only_section(envelope, layout::party);
  return party_payload(envelope, section.bytes, section.offset);
}

rlwe::PartyState party_payload(const Envelope& envelope, std::span<const std::uint8_t> opened, std::uint64_t offset) {
  ByteReader reader(opened, offset, "a party's own file");
  bool first_version = false;
  const Digest session = read_session(reader, envelope, first_version);
  const std::uint32_t party = read_party(reader);
  const std::uint32_t done = reader.u32(), shown = reader.u32();  // answered, accepted itself, accepted by all
  const std::uint32_t answered = done & 1;
  std::array<std::uint8_t, 32> secret;
  std::ranges::copy(reader.take(secret.size()), secret.begin());
  Seed seed(secret);
  secure_zero(secret.data(), secret.size());
  const Digest question = reader.array32();
  rlwe::Accepted accepted{.transcript = {}, .by_all = done == 7};
  if ((done & 2) != 0) accepted.transcript = reader.array32();
  const bool orderly = done <= 1 || ((done == 3 || done == 7) && accepted.transcript != Digest{});
  const bool possible = orderly && shown <= rlwe::most_parties && shown != 1 && (answered == 0 || shown != 0);
  if (first_version || !possible || (answered == 1) == (question == Digest{}) ||
      reader.rest().size() < shown * sizeof(Digest)) {
    throw FormatError(message("the party's own file says at offset ", offset, " that it has seen ", shown,
                              " commitments and answered ", answered, " first rounds (", done,
                              "), which does not fit what follows: the data is damaged"));
  }
  std::vector<Digest> commitments;
  for (std::uint32_t i = 0; i < shown; ++i) commitments.push_back(reader.array32());
  rlwe::Audited audited = read_audited(reader, shown);
  return {session, party, std::move(seed), std::move(commitments), question, read_decrypted(reader), std::move(audited),
          accepted};
}

CoinPayload coin_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::coin);
  CoinPayload payload;
  const Section& section = signed_section(envelope, layout::coin, payload.signature);
  ByteReader reader(section.bytes, section.offset, "a coin");
  bool first_version = false;
  payload.session = read_session(reader, envelope, first_version);
  payload.party = read_party(reader);
  const std::uint32_t stage = reader.u32();
  payload.basis = reader.array32();
  payload.value = reader.array32();
  reader.finish();
  if (first_version || stage < 1 || stage > 2 || (stage == 1) != (payload.basis == Digest{})) {
    throw FormatError(message("the coin at offset ", section.offset, " is of stage ", stage,
                              "; it is tossed, or shown after what it names: the data is damaged; get a fresh copy"));
  }
  payload.stage = static_cast<rlwe::Coin::Stage>(stage);
  return payload;
}

namespace {

/// A party's number and a hash of something, signed or not.
KeyCommitmentPayload signed_digest(const Envelope& envelope, std::string_view tag, const char* what) {
  KeyCommitmentPayload payload;
  const Section& section = signed_section(envelope, tag, payload.signature);
  ByteReader reader(section.bytes, section.offset, what);
  bool first_version = false;
  payload.session = read_session(reader, envelope, first_version);
  payload.party = read_party(reader);
  payload.digest = reader.array32();
  reader.finish();
  if (first_version) throw FormatError(message(what, " of the protocol's first version, which had none"));
  return payload;
}

}  // namespace

KeyCommitmentPayload key_commitment_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::key_commitment);
  return signed_digest(envelope, layout::key_commitment, "a commitment");
}

KeyCommitmentPayload acceptance_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::acceptance);
  return signed_digest(envelope, layout::acceptance, "an acceptance");
}

void require_current(const char* what, bool first_version) {
  if (!first_version) return;
  throw FormatError(message(what, " was made by the first version of the protocol, which can publish secrets if a ",
                            "round is repeated: make a new session and a new key, and encrypt anew what the old one "
                            "encrypts; whether a secret is public by now tells `cyclotome threshold advise`"));
}

void check_threshold_payload(const Envelope& envelope) {
  switch (envelope.kind()) {
    case Kind::threshold_session:
      static_cast<void>(threshold_session_payload(envelope));
      break;
    case Kind::key_share:
      static_cast<void>(key_share_payload(envelope));
      break;
    case Kind::secret_share:
      static_cast<void>(secret_share_payload(envelope));
      break;
    case Kind::party:
      static_cast<void>(party_payload(envelope));
      break;
    case Kind::key_commitment:
      static_cast<void>(key_commitment_payload(envelope));
      break;
    case Kind::coin:
      static_cast<void>(coin_payload(envelope));
      break;
    case Kind::acceptance:
      static_cast<void>(acceptance_payload(envelope));
      break;
    default:
      static_cast<void>(decryption_share_payload(envelope));
  }
}

std::uint64_t threshold_expanded_bytes(const Envelope& envelope) {
  const rlwe::Parameters& p = envelope.parameters();
  const std::uint64_t limb = p.degree() * bytes_of(p.word());
  switch (envelope.kind()) {
    case Kind::threshold_session:
      return 0;
    case Kind::key_share:
      return key_share_payload(envelope).items * key_moduli(p).size() * limb;
    case Kind::secret_share:
    case Kind::protected_secret_share:
      return p.moduli().size() * limb;
    default:
      break;
  }
  std::uint64_t bytes = 0;
  for (const auto& channel : decryption_share_payload(envelope).channels) {
    bytes += channel.batch * channel.level.primes * limb;
  }
  return bytes;
}

}  // namespace cyclotome::io
