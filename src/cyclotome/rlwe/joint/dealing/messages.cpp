// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/dealing/messages.hpp"

#include <algorithm>
#include <string_view>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

namespace {

using Span = std::span<const std::uint8_t>;
using Bytes = std::vector<std::uint8_t>;

constexpr std::string_view key_domain = "cyclotome dealing 1|key", dealing_domain = "cyclotome dealing 1|dealing",
                           complaint_domain = "cyclotome dealing 1|complaint";

void append(Bytes& bytes, Span more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

void append(Bytes& bytes, std::uint64_t number, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

Bytes text_of(std::string_view text) { return {text.begin(), text.end()}; }

Bytes issued_text(const DealingRound& round, std::uint32_t receiver, std::uint32_t dealer, const PublicIdentity& key) {
  Bytes text;
  append(text, round.digest());
  append(text, receiver, 4);
  append(text, dealer, 4);
  append(text, key.bytes());
  return text;
}

/// All of a dealing that is fixed before the rows are.
Bytes committed_text(const DealingRound& round, const Dealing& dealing) {
  Bytes text;
  append(text, round.digest());
  append(text, dealing.dealer, 4);
  append(text, dealing.keys.size(), 4);
  for (const IssuedKey& issued : dealing.keys) append(text, issued.key.bytes());
  append(text, dealing.sealed.size(), 4);
  for (const Digest& digest : dealing.sealed) append(text, digest);
  return text;
}

Bytes signed_text(const DealingRound& round, const Dealing& dealing) {
  Bytes text = committed_text(round, dealing);
  for (const IssuedKey& issued : dealing.keys) append(text, issued.signature);
  append(text, dealing.values.size(), 8);
  for (const std::uint64_t value : dealing.values) append(text, value, 8);
  return text;
}

Bytes accusing_text(const DealingRound& round, const Complaint& complaint) {
  Bytes text;
  append(text, round.digest());
  append(text, complaint.accuser, 4);
  append(text, complaint.dealing.dealer, 4);
  append(text, complaint.dealing.signature);
  append(text, complaint.key);
  return text;
}

/// The keys that all parties issued for a dealer, in the order of parties.
std::vector<IssuedKey> keys_for(const DealingRound& round, std::uint32_t dealer, std::span<const ReceivingKeys> keys) {
  std::vector<std::uint32_t> senders;
  for (const ReceivingKeys& each : keys) {
    require_round(round, each.round, "the keys", each.party);
    senders.push_back(each.party);
  }
  const std::vector<std::uint32_t>& parties = round.session().parties();
  require_each_once("keys to deal to", parties, senders);
  std::vector<IssuedKey> issued;
  for (const std::uint32_t party : parties) {
    const ReceivingKeys& of_party = *std::ranges::find(keys, party, &ReceivingKeys::party);
    const std::size_t place = place_of(round.dealers(), dealer);
    if (place >= of_party.keys.size() || !is_signed(round, party, dealer, of_party.keys[place])) {
      throw ArgumentError(message("the keys to deal to: those of party ", party, " were not signed by it"));
    }
    issued.push_back(of_party.keys[place]);
  }
  return issued;
}

}  // namespace

void require_round(const DealingRound& round, const Digest& digest, const char* what, std::uint32_t party) {
  if (digest == round.digest()) return;
  throw MismatchError(
      message(what, " of party ", party, " is of another round: other parties, another epoch, or other identities"));
}

void require_identity(const DealingRound& round, std::uint32_t party, const Identity& identity) {
  if (identity.public_identity() == round.identity(party)) return;
  throw ArgumentError(message("this is not the identity that party ", party, " has in this round"));
}

std::size_t place_of(const std::vector<std::uint32_t>& parties, std::uint32_t party) {
  return static_cast<std::size_t>(std::ranges::lower_bound(parties, party) - parties.begin());
}

bool is_signed(const DealingRound& round, std::uint32_t receiver, std::uint32_t dealer, const IssuedKey& issued) {
  return round.identity(receiver).verify(key_domain, issued_text(round, receiver, dealer, issued.key),
                                         issued.signature);
}

bool is_signed(const DealingRound& round, const Dealing& dealing) {
  return round.identity(dealing.dealer).verify(dealing_domain, signed_text(round, dealing), dealing.signature);
}

bool is_signed(const DealingRound& round, const Complaint& complaint) {
  return round.identity(complaint.accuser)
      .verify(complaint_domain, accusing_text(round, complaint), complaint.signature);
}

PublicSeed challenge_of(const DealingRound& round, const Dealing& dealing) {
  Bytes text = text_of("cyclotome dealing 1|rows\n");
  append(text, committed_text(round, dealing));
  return PublicSeed(sha256(text));
}

Bytes sealing_context(const DealingRound& round, std::uint32_t dealer, std::uint32_t receiver) {
  Bytes context;
  append(context, round.digest());
  append(context, dealer, 4);
  append(context, receiver, 4);
  return context;
}

Identity receiving_identity(const DealingRound& round, std::uint32_t dealer, const Identity& identity) {
  Bytes context = text_of("cyclotome dealing 1\n");
  append(context, round.digest());
  append(context, dealer, 4);
  return identity.derived(context);
}

void sign(const DealingRound& round, const Identity& identity, Dealing& dealing) {
  dealing.signature = identity.sign(dealing_domain, signed_text(round, dealing));
}

void sign(const DealingRound& round, const Identity& identity, Complaint& complaint) {
  complaint.signature = identity.sign(complaint_domain, accusing_text(round, complaint));
}

ReceivingKeys receiving_keys(const DealingRound& round, std::uint32_t party, const Identity& identity) {
  require_identity(round, party, identity);
  ReceivingKeys made{round.digest(), party, {}};
  for (const std::uint32_t dealer : round.dealers()) {
    const PublicIdentity key = receiving_identity(round, dealer, identity).public_identity();
    made.keys.push_back({key, identity.sign(key_domain, issued_text(round, party, dealer, key))});
  }
  return made;
}

Dealt deal_voiced(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const DealerVoice& voice,
                  std::span<const ReceivingKeys> keys) {
  round.require_dealer(dealer);
  require_identity(round, dealer, identity);
  Dealt result;
  result.dealing.round = round.digest();
  result.dealing.dealer = dealer;
  result.dealing.keys = keys_for(round, dealer, keys);
  const std::vector<std::uint32_t>& parties = round.session().parties();
  for (std::size_t i = 0; i < parties.size(); ++i) {
    SealedShare sealed{
        round.digest(), dealer, parties[i],
        result.dealing.keys[i].key.seal(sealing_context(round, dealer, parties[i]), voice.packed_at(parties[i]))};
    result.dealing.sealed.push_back(sha256(sealed.bytes));
    result.sealed.push_back(std::move(sealed));
  }
  result.dealing.values = voice.functionals(challenge_of(round, result.dealing));
  sign(round, identity, result.dealing);
  return result;
}

}  // namespace cyclotome::rlwe
