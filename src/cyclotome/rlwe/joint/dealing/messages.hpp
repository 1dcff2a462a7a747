// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <variant>

#include "cyclotome/rlwe/joint/dealing/round.hpp"

// Messages of a dealing (verified_dealing.hpp): what they hold, and how they are sealed and signed.
namespace cyclotome::rlwe {

/// A key that a party issued for one sealed message of one dealer, with its signature.
struct IssuedKey {
  PublicIdentity key;   ///< seals, for whoever has the seed
  Signature signature;  ///< of the party that issued it
};

/// A party's first message of a round: a key for each dealer, in their order. The same for the same identity.
struct ReceivingKeys {
  Digest round{};               ///< of which round
  std::uint32_t party = 0;      ///< whose
  std::vector<IssuedKey> keys;  ///< by dealer
};
/// Throws ArgumentError for another's identity.
ReceivingKeys receiving_keys(const DealingRound& round, std::uint32_t party, const Identity& identity);

/// A dealer's message to everybody.
struct Dealing {
  Digest round{};                     ///< of which round
  std::uint32_t dealer = 0;           ///< who deals
  std::vector<IssuedKey> keys;        ///< for which it sealed, in the order of parties
  std::vector<Digest> sealed;         ///< SHA-256 of what it sealed, likewise
  std::vector<std::uint64_t> values;  ///< F: prime, then row, then coefficient
  Signature signature{};              ///< the dealer's
};

/// Its message to one receiver, which only that one opens.
struct SealedShare {
  Digest round{};                   ///< of which round
  std::uint32_t dealer = 0;         ///< who deals
  std::uint32_t receiver = 0;       ///< who opens it
  std::vector<std::uint8_t> bytes;  ///< what is sealed
};

/// What a dealer sends.
struct Dealt {
  Dealing dealing;                  ///< to everybody
  std::vector<SealedShare> sealed;  ///< in the order of parties
};

/// A receiver's claim that a dealer dealt wrongly, which everybody can judge: the one key that opens what it got.
struct Complaint {
  std::uint32_t accuser = 0;           ///< who complains
  Dealing dealing;                     ///< what the dealer showed
  SealedShare sealed;                  ///< what it sealed for the accuser
  std::array<std::uint8_t, 32> key{};  ///< seed of the issued key; it opens nothing else
  Signature signature{};               ///< the accuser's
};

/// Any of them, as a file holds one.
using DealingMessage = std::variant<ReceivingKeys, Dealing, SealedShare, Complaint>;

/// What a dealer has to say: honest polynomials, or in tests whatever a dishonest one says.
struct DealerVoice {
  /// What it seals for the party of this number.
  std::function<ZeroisingVector<std::uint8_t>(std::uint32_t party)> packed_at;
  /// What it shows in the open, once the rows are known.
  std::function<std::vector<std::uint64_t>(const PublicSeed& challenge)> functionals;
};

/// Seals, draws the rows, signs. Throws as `deal_own` (verified_dealing.hpp).
Dealt deal_voiced(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const DealerVoice& voice,
                  std::span<const ReceivingKeys> keys);

/// Signs a dealing, or a complaint, whatever it says.
void sign(const DealingRound& round, const Identity& identity, Dealing& dealing);
void sign(const DealingRound& round, const Identity& identity, Complaint& complaint);
/// Whether its dealer, or its accuser, signed it, and the receiver the key.
bool is_signed(const DealingRound& round, const Dealing& dealing);
bool is_signed(const DealingRound& round, const Complaint& complaint);
bool is_signed(const DealingRound& round, std::uint32_t receiver, std::uint32_t dealer, const IssuedKey& issued);

/// The seed of the rows, which comes of everything that a dealer has sealed.
PublicSeed challenge_of(const DealingRound& round, const Dealing& dealing);
/// What a sealed share says it is.
std::vector<std::uint8_t> sealing_context(const DealingRound& round, std::uint32_t dealer, std::uint32_t receiver);

/// Throws MismatchError for a message of another round.
void require_round(const DealingRound& round, const Digest& digest, const char* what, std::uint32_t party);
/// Throws ArgumentError for another identity than the party has in the round.
void require_identity(const DealingRound& round, std::uint32_t party, const Identity& identity);
/// Where a party stands among all.
std::size_t place_of(const std::vector<std::uint32_t>& parties, std::uint32_t party);

/// The one-time identity that opens what a dealer sealed for its owner.
Identity receiving_identity(const DealingRound& round, std::uint32_t dealer, const Identity& identity);

}  // namespace cyclotome::rlwe
