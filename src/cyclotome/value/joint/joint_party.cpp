// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/joint_party.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/hexadecimal.hpp"
#include "cyclotome/rlwe/joint/secret_sharing.hpp"

namespace cyclotome::value {

namespace {

using rlwe::KeyShare;
using rlwe::PartyState;

class MemoryStore final : public PartyStore {
 public:
  explicit MemoryStore(PartyState state) : state_(std::move(state)) {}

  PartyState read() override {
    const std::lock_guard lock(mutex_);
    return state_.copy();
  }
  void change(const std::function<void(PartyState&)>& change) override {
    const std::lock_guard lock(mutex_);
    PartyState changed = state_.copy();
    change(changed);
    state_ = std::move(changed);
  }

 private:
  std::mutex mutex_;
  PartyState state_;
};

template <class Message>
std::vector<const Message*> pointers(std::span<const Message> messages) {
  std::vector<const Message*> all;
  for (const Message& each : messages) all.push_back(&each);
  return all;
}

rlwe::SecretKey secret_of(const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context,
                          const PartyState& state) {
  session.require_same("the party's state", state.session());
  return rlwe::party_key(session, context, state.party(), state.seed());
}

std::vector<const KeyShare*> of_round(const JointMessages& inbox, KeyShare::Round round) {
  std::vector<const KeyShare*> shares;
  for (const KeyShare& share : inbox.shares) {
    if (share.round() == round) shares.push_back(&share);
  }
  return shares;
}

/// One message of each party that sent one, the own among them, in order of parties. Throws BlameError where somebody
/// sent two that differ, MismatchError for one in this party's name that it did not send.
template <class Message, class Name>
std::vector<const Message*> sorted(const rlwe::ThresholdSession& session, const std::vector<const Message*>& inbox,
                                   const Message& own, const char* stage, const Name& name) {
  std::map<std::uint32_t, const Message*> by_party = {{own.party(), &own}};
  for (const Message* const each : inbox) {
    session.require_same("a message", each->session());
    session.require_party(each->party());
    const auto [place, is_new] = by_party.emplace(each->party(), each);
    if (is_new || name(*place->second) == name(*each)) continue;
    if (each->party() == own.party()) {
      throw MismatchError(message("a message of stage \"", stage, "\" in the name of party ", each->party(),
                                  " is not the one that it sent: somebody altered it, or made another"));
    }
    throw BlameError(message("party ", each->party(), " sent two different messages of stage \"", stage,
                             "\", or somebody did in its name; the session is over"),
                     {each->party()}, stage, hexadecimal(name(*place->second)) + " " + hexadecimal(name(*each)));
  }
  std::vector<const Message*> all;
  for (const auto& [party, each] : by_party) all.push_back(each);
  return all;
}

/// Whether all have sent theirs; who has not is written down.
template <class Message>
bool complete(const rlwe::ThresholdSession& session, const std::vector<const Message*>& messages, const char* stage,
              JointProgress& progress) {
  progress.stage = stage;
  progress.missing.clear();
  for (const std::uint32_t party : session.parties()) {
    if (std::ranges::find(messages, party, [](const Message* each) { return each->party(); }) == messages.end()) {
      progress.missing.push_back(party);
    }
  }
  return progress.missing.empty();
}

}  // namespace

std::shared_ptr<PartyStore> store_in_memory(PartyState state) {
  return std::make_shared<MemoryStore>(std::move(state));
}

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context, std::uint32_t number)
    : JointParty(session, context, store_in_memory(PartyState::create(session, number))) {}

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context,
                       std::shared_ptr<PartyStore> store)
    : JointParty(std::move(session), context, store, store->read()) {}

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context,
                       std::shared_ptr<PartyStore> store, const PartyState& state)
    : session_(std::move(session)),
      store_(std::move(store)),
      number_(state.party()),
      secret_(secret_of(session_, context, state)) {}

template <class Message>
Message JointParty::spoken(Message message) const {
  if (voice_.sign) message.attach(voice_.sign(rlwe::digest_of(message)));
  return message;
}

template <class Message>
void JointParty::require_spoken(std::span<const Message* const> messages) const {
  if (!voice_.verify) return;
  for (const Message* const each : messages) {
    if (each->party() == number_) continue;  // its own is compared with what it makes
    if (each->session() == session_.digest() &&
        voice_.verify(each->party(), rlwe::digest_of(*each), each->signature())) {
      continue;
    }
    throw MismatchError(message("a message in the name of party ", each->party(),
                                " is not signed by it in this session: somebody altered it, or made it; get it again"));
  }
}

bool JointParty::knows_key() const { return store_->read().has_answered(); }

rlwe::KeyId JointParty::key() const { return key_of(store_->read()); }

rlwe::KeyId JointParty::key_of(const PartyState& state) const {
  if (state.has_answered()) return rlwe::joint_key_id(session_.digest(), state.answered());
  throw ArgumentError(message("party ", number_,
                              " does not know the joint key yet: it has not answered the first shares of all parties"));
}

rlwe::Commitment JointParty::commit() const {
  return spoken(rlwe::Commitment(session_.parameters(), session_.digest(), number_,
                                 rlwe::committed(rlwe::first_share(session_, number_, secret_, Digest{}))));
}

KeyShare JointParty::first_share(std::span<const rlwe::Commitment* const> commitments) {
  require_spoken(commitments);
  const std::vector<Digest> all = rlwe::ordered(session_, commitments);
  KeyShare share = rlwe::first_share(session_, number_, secret_, rlwe::commitments_digest(session_, all));
  if (all[rlwe::place_of(session_, number_)] != rlwe::committed(share)) {
    throw MismatchError(message("the commitment of party ", number_,
                                " is not the one that it made: somebody altered it, or made another in its name"));
  }
  store_->change([&](PartyState& state) { state.show(all); });
  return spoken(std::move(share));
}

KeyShare JointParty::first_share(std::span<const rlwe::Commitment> commitments) {
  return first_share(pointers(commitments));
}

rlwe::FirstRound JointParty::agreed(std::span<const KeyShare* const> first) {
  require_spoken(first);
  const std::vector<Digest> commitments = store_->read().commitments();
  if (commitments.empty()) {
    throw ArgumentError(
        message("party ", number_, " has not shown its first share: everybody commits first, and shows it then"));
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i]->party() != number_ || first[i]->session() != session_.digest()) continue;
    if (rlwe::committed(*first[i]) == commitments[rlwe::place_of(session_, number_)]) continue;
    throw MismatchError(message("the first share of party ", number_,
                                " is not the one that it made: somebody altered it, or made another in its name"));
  }
  rlwe::FirstRound sums(session_, secret_.context(), first, commitments);
  store_->change([&](PartyState& state) { state.answer(sums.digest()); });
  return sums;
}

void JointParty::agree(std::span<const KeyShare* const> first) { static_cast<void>(agreed(first)); }
void JointParty::agree(std::span<const KeyShare> first) { agree(pointers(first)); }

void JointParty::replace(std::span<const KeyShare* const> first) {
  if (!session_.shares_secrets()) {
    throw ArgumentError("where all parties decrypt, nobody takes the place of a lost one; make a new key");
  }
  std::vector<std::uint32_t> senders;
  for (const KeyShare* const share : first) senders.push_back(share->party());
  rlwe::require_each_once("first round", session_.parties(), senders);
  std::vector<Digest> commitments;
  for (const std::uint32_t party : session_.parties()) {
    commitments.push_back(rlwe::committed(**std::ranges::find(first, party, &KeyShare::party)));
  }
  const rlwe::FirstRound sums(session_, secret_.context(), first, commitments);
  store_->change([&](PartyState& state) {
    state.show(commitments);
    state.answer(sums.digest());
  });
}

KeyShare JointParty::second_share(std::span<const KeyShare* const> first) {
  if (!session_.relinearization()) {
    throw ArgumentError("this session makes no relinearisation key, so there is no second round; agree() is enough");
  }
  return spoken(rlwe::second_share(agreed(first), number_, secret_));
}
KeyShare JointParty::second_share(std::span<const KeyShare> first) { return second_share(pointers(first)); }

JointProgress JointParty::advance(const JointMessages& inbox) {
  JointProgress progress;
  require_spoken<rlwe::Commitment>(pointers<rlwe::Commitment>(inbox.commitments));
  require_spoken<KeyShare>(pointers<KeyShare>(inbox.shares));
  const rlwe::Commitment commitment = commit();
  progress.sent.commitments.push_back(commitment);
  const auto commitments = sorted(session_, pointers<rlwe::Commitment>(inbox.commitments), commitment, "commit",
                                  [](const rlwe::Commitment& each) { return each.digest(); });
  if (!complete(session_, commitments, "commit", progress)) return progress;

  const KeyShare own_first = first_share(commitments);
  progress.sent.shares.push_back(own_first);
  const auto first = sorted(session_, of_round(inbox, KeyShare::Round::first), own_first, "first",
                            [](const KeyShare& each) { return rlwe::digest_of(each); });
  if (!complete(session_, first, "first", progress)) return progress;

  std::vector<const KeyShare*> second;
  std::optional<KeyShare> own_second;
  if (session_.relinearization()) {
    own_second.emplace(second_share(first));
    progress.sent.shares.push_back(*own_second);
    second = sorted(session_, of_round(inbox, KeyShare::Round::second), *own_second, "second",
                    [](const KeyShare& each) { return rlwe::digest_of(each); });
    if (!complete(session_, second, "second", progress)) return progress;
  } else {
    agree(first);
  }
  const rlwe::FirstRound sums(session_, secret_.context(), first);
  progress.keys.emplace(JointKeys{sums.public_key(), sums.evaluation_keys(second)});
  progress.transcript = session_.relinearization() ? rlwe::transcript(sums, second) : sums.digest();
  progress.stage = "done";
  return progress;
}

std::vector<rlwe::SecretShare> JointParty::deal() const { return rlwe::deal_secret(session_, number_, secret_); }

DecryptionShare JointParty::decryption_share(const EncryptedArray& x, std::vector<std::uint32_t> active,
                                             unsigned flooding_bits, const rlwe::SecretShare* share,
                                             const Options& options) const {
  const PartyState before = store_->read();
  DecryptionShare made = value::decryption_share(session_, key_of(before), number_, secret_, share, x,
                                                 std::move(active), flooding_bits, options);
  const Digest question = question_of(made.facts());
  if (before.has_decrypted(question)) return made;
  store_->change([&](PartyState& state) { state.decrypt(question, ciphertexts_of(x), session_.decryptions()); });
  return made;
}

rlwe::RevealCount JointParty::decryptions() const {
  return {session_.decryptions(), store_->read().decrypted().ciphertexts};
}

}  // namespace cyclotome::value
