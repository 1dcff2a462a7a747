// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/io/container/packed.hpp"
#include "cyclotome/rlwe/joint/joint_coins.hpp"
#include "cyclotome/rlwe/joint/party_state.hpp"
#include "cyclotome/rlwe/joint/threshold_keys.hpp"
#include "cyclotome/value/joint/threshold_decryption.hpp"

// What the sections of joint keys' messages hold, but for the residues. All functions throw FormatError.
namespace cyclotome::io {

struct ThresholdSessionPayload {
  rlwe::ThresholdSession session;
  bool first_version = false;  ///< of the protocol: to be refused with advice
};

struct KeySharePayload {
  Digest session{}, basis{};
  std::uint32_t party = 0;
  rlwe::KeyShare::Round round{};
  std::size_t items = 0;
  Packed residues;
  rlwe::Opened opened;
  rlwe::ShareProof proof;
  std::vector<std::uint8_t> signature;
  bool first_version = false;
};

struct SecretSharePayload {
  Digest session{};
  std::uint32_t from = 0, to = 0, epoch = 0;
  Packed residues;
  bool first_version = false;
};

struct DecryptionSharePayload {
  struct Channel {
    std::size_t batch = 0;
    rlwe::Level level{0};
    Packed residues;
  };
  value::DecryptionShare::Facts facts;
  std::vector<Channel> channels;
  bool first_version = false;
};

/// Of a commitment, or of an acceptance.
struct KeyCommitmentPayload {
  Digest session{}, digest{};
  std::uint32_t party = 0;
  std::vector<std::uint8_t> signature;
};

struct CoinPayload {
  Digest session{}, basis{}, value{};
  std::uint32_t party = 0;
  rlwe::Coin::Stage stage{};
  std::vector<std::uint8_t> signature;
};

/// Bytes of what a party keeps, with so many commitments, tosses, candidates, questions and transcripts together.
constexpr std::size_t party_bytes(std::size_t digests) {
  return (4 + digests) * sizeof(Digest) + 5 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
}
inline std::size_t party_bytes(const rlwe::PartyState& party) {
  return party_bytes(party.commitments().size() + party.audited().tosses.size() + party.audited().candidates.size() +
                     party.decrypted().questions.size() + (party.accepted().transcript == Digest{} ? 0 : 1));
}
/// Bytes of what a party keeps if it and the tag of its encryption fill `rest`; what can't be is found by its reader.
constexpr std::size_t party_bytes_of(std::size_t rest) {
  constexpr std::size_t tag = 16, most = party_bytes(1 + 2 * rlwe::most_parties + rlwe::most_candidates +
                                                     rlwe::Decrypted::most_questions);
  return rest < tag ? rest : std::min(rest - tag, most);
}

ThresholdSessionPayload threshold_session_payload(const Envelope& envelope);
KeySharePayload key_share_payload(const Envelope& envelope);
SecretSharePayload secret_share_payload(const Envelope& envelope);
/// The same of what a passphrase opened: the bytes that SSHA would have, and where they begin in the file.
SecretSharePayload secret_share_payload(const Envelope& envelope, std::span<const std::uint8_t> opened,
                                        std::uint64_t offset);
/// How many there are.
std::size_t secret_share_bytes(const rlwe::Parameters& parameters);
DecryptionSharePayload decryption_share_payload(const Envelope& envelope);
KeyCommitmentPayload key_commitment_payload(const Envelope& envelope);
KeyCommitmentPayload acceptance_payload(const Envelope& envelope);
CoinPayload coin_payload(const Envelope& envelope);
rlwe::PartyState party_payload(const Envelope& envelope);
/// The same of what a passphrase opened.
rlwe::PartyState party_payload(const Envelope& envelope, std::span<const std::uint8_t> opened, std::uint64_t offset);
/// Throws FormatError, with advice, for what the protocol's first version made.
void require_current(const char* what, bool first_version);

/// As check_payload and expanded_bytes, of these kinds.
void check_threshold_payload(const Envelope& envelope);
std::uint64_t threshold_expanded_bytes(const Envelope& envelope);

}  // namespace cyclotome::io
