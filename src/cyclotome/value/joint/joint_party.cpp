// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/joint_party.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/rlwe/joint/joint_audit.hpp"
#include "cyclotome/rlwe/joint/secret_sharing.hpp"
#include "cyclotome/rlwe/joint/share_proof.hpp"
#include "cyclotome/rlwe/joint/unproved_share.hpp"

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

/// The seed that a party's secret comes of: that of the candidate that the coin chose, or its own, without an audit and
/// for who takes the place of a lost party.
Seed secret_seed(const rlwe::ThresholdSession& session, const PartyState& state) {
  const rlwe::Audited& audited = state.audited();
  if (audited.coin == Digest{}) return Seed(state.seed().bytes());
  return rlwe::candidate_seed(session, state.seed(), rlwe::tosses_digest(session, audited.tosses),
                              rlwe::kept_candidate(audited.coin, state.party(), session.audit()));
}

std::vector<const rlwe::Coin*> of_stage(const JointMessages& inbox, rlwe::Coin::Stage stage) {
  std::vector<const rlwe::Coin*> coins;
  for (const rlwe::Coin& coin : inbox.coins) {
    if (coin.stage() == stage) coins.push_back(&coin);
  }
  return coins;
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

struct JointParty::Own {
  std::mutex mutex;
  std::optional<rlwe::SecretKey> secret;
  std::optional<KeyShare> second;  // without a signature

  std::optional<KeyShare> second_of(const rlwe::FirstRound& sums) {
    const std::lock_guard lock(mutex);
    return second.has_value() && second->basis() == sums.digest() ? second : std::nullopt;
  }
  KeyShare keep(KeyShare share) {
    share.attach({});
    const std::lock_guard lock(mutex);
    return second.emplace(std::move(share));
  }
};

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context, std::uint32_t number)
    : JointParty(session, context, store_in_memory(PartyState::create(session, number))) {}

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context,
                       std::shared_ptr<PartyStore> store)
    : JointParty(std::move(session), context, store, store->read()) {}

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context,
                       std::shared_ptr<PartyStore> store, const PartyState& state)
    : session_(std::move(session)),
      context_(context),
      store_(std::move(store)),
      number_(state.party()),
      own_(std::make_shared<Own>()) {
  session_.require_same("the party's state", state.session());
  static_cast<void>(session_.party_key(number_));
  if (context->parameters().fingerprint() != session_.parameters().fingerprint()) {
    throw MismatchError(message("a party of a session of ", session_.parameters().summary(),
                                " can't compute with a context of ", context->parameters().summary()));
  }
}

const rlwe::SecretKey& JointParty::secret() const {
  {
    const std::lock_guard lock(own_->mutex);
    if (own_->secret.has_value()) return *own_->secret;
  }
  return secret_by(store_->read());
}

const rlwe::SecretKey& JointParty::secret_by(const PartyState& state) const {
  const std::lock_guard lock(own_->mutex);
  if (own_->secret.has_value()) return *own_->secret;
  if (!state.has_secret(session_)) {
    throw ArgumentError(message("party ", number_, " has no secret key yet: the coin, which all show after they have ",
                                "committed, says which of its candidates that is"));
  }
  return own_->secret.emplace(rlwe::party_key(session_, context_, number_, secret_seed(session_, state)));
}

void JointParty::keep(PartyState& state, const std::function<void(PartyState&)>& change) const {
  const std::size_t before = state.changes();
  change(state);
  if (state.changes() != before) store_->change(change);
}

void JointParty::require_audit(bool wanted, const char* how) const {
  if ((session_.audit() > 1) == wanted) return;
  throw ArgumentError(message("this session ", wanted ? "has no audit" : "has an audit", ": ", how));
}

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

rlwe::Coin JointParty::toss() const {
  require_audit(true, "nobody tosses a coin, and everybody commits first");
  return spoken(rlwe::Coin(session_.parameters(), session_.digest(), number_, rlwe::Coin::Stage::tossed, Digest{},
                           rlwe::tossed(session_.digest(), number_, rlwe::coin_part(session_, store_->read().seed()))));
}

rlwe::Commitment JointParty::commit(std::span<const rlwe::Coin* const> tosses) {
  const auto committed_to = [&](const Digest& digest) {
    return spoken(rlwe::Commitment(session_.parameters(), session_.digest(), number_, digest));
  };
  if (session_.audit() == 1) {
    if (!tosses.empty()) require_audit(true, "nobody tosses a coin, and everybody commits first");
    return committed_to(rlwe::committed(rlwe::first_share(session_, number_, secret(), Digest{})));
  }
  require_spoken(tosses);
  const std::vector<Digest> all = rlwe::ordered(session_, rlwe::Coin::Stage::tossed, tosses);
  PartyState state = store_->read();
  const Digest own = rlwe::tossed(session_.digest(), number_, rlwe::coin_part(session_, state.seed()));
  if (all[rlwe::place_of(session_, number_)] != own) {
    throw MismatchError(message("the coin of party ", number_,
                                " is not the one that it tossed: somebody altered it, or made another in its name"));
  }
  const std::vector<Digest> candidates =
      state.audited().tosses.empty()
          ? rlwe::candidate_digests(session_, context_, number_, state.seed(), rlwe::tosses_digest(session_, all))
          : state.audited().candidates;
  keep(state, [&](PartyState& changed) { changed.commit(all, candidates); });
  return committed_to(rlwe::candidates_digest(session_.digest(), number_, candidates));
}
rlwe::Commitment JointParty::commit(std::span<const rlwe::Coin> tosses) { return commit(pointers(tosses)); }

rlwe::Coin JointParty::show_coin(std::span<const rlwe::Commitment* const> commitments) {
  require_audit(true, "there is no coin; first_share takes the commitments");
  require_spoken(commitments);
  const std::vector<Digest> all = rlwe::ordered(session_, commitments);
  PartyState state = store_->read();
  const rlwe::Audited& audited = state.audited();
  if (audited.tosses.empty()) {
    throw ArgumentError(
        message("party ", number_, " has not committed yet: everybody commits, and shows its coin then"));
  }
  require_own_commitment(all, rlwe::candidates_digest(session_.digest(), number_, audited.candidates));
  keep(state, [&](PartyState& changed) { changed.show(all); });
  return spoken(rlwe::Coin(session_.parameters(), session_.digest(), number_, rlwe::Coin::Stage::shown,
                           rlwe::shown_after(session_, audited.tosses, all), rlwe::coin_part(session_, state.seed())));
}
rlwe::Coin JointParty::show_coin(std::span<const rlwe::Commitment> commitments) {
  return show_coin(pointers(commitments));
}

void JointParty::require_own_commitment(const std::vector<Digest>& all, const Digest& own) const {
  if (all[rlwe::place_of(session_, number_)] == own) return;
  throw MismatchError(message("the commitment of party ", number_,
                              " is not the one that it made: somebody altered it, or made another in its name"));
}

KeyShare JointParty::first_share(std::span<const rlwe::Commitment* const> commitments) {
  require_audit(false, "everybody shows its coin after it has the commitments, and first_share takes the coins");
  require_spoken(commitments);
  const std::vector<Digest> all = rlwe::ordered(session_, commitments);
  KeyShare share = rlwe::first_share(session_, number_, secret(), rlwe::commitments_digest(session_, all));
  require_own_commitment(all, rlwe::committed(share));
  store_->change([&](PartyState& state) { state.show(all); });
  return spoken(std::move(share));
}

KeyShare JointParty::first_share(std::span<const rlwe::Coin* const> coins) {
  require_audit(true, "there is no coin; first_share takes the commitments");
  require_spoken(coins);
  const std::vector<Digest> parts = rlwe::ordered(session_, rlwe::Coin::Stage::shown, coins);
  PartyState state = store_->read();
  if (state.commitments().empty()) {
    throw ArgumentError(message("party ", number_, " has not shown its coin yet: everybody does, once all committed"));
  }
  const std::vector<Digest> tosses = state.audited().tosses;
  const Digest basis = rlwe::shown_after(session_, tosses, state.commitments());
  for (const rlwe::Coin* const each : coins) {
    if (each->basis() == basis) continue;
    throw MismatchError(message("the coin of party ", each->party(),
                                " was shown after other tosses or commitments than this party has: not all have seen "
                                "the same ones; begin a new session"));
  }
  const Digest coin = rlwe::coin_of(session_, tosses, parts);
  keep(state, [&](PartyState& changed) { changed.choose(coin); });
  return spoken(chosen_share(state));
}
KeyShare JointParty::first_share(std::span<const rlwe::Coin> coins) { return first_share(pointers(coins)); }

KeyShare JointParty::chosen_share(const PartyState& state) const {
  const rlwe::Audited& audited = state.audited();
  const Digest all = rlwe::commitments_digest(session_, state.commitments());
  KeyShare share = rlwe::first_share(session_, number_, secret_by(state), rlwe::chosen_digest(all, audited.coin));
  share.open(rlwe::opened_candidates(session_, number_, state.seed(), rlwe::tosses_digest(session_, audited.tosses),
                                     audited.coin, audited.candidates));
  require_own_commitment(state.commitments(), rlwe::committed(share));  // its file may have been copied back meanwhile
  return share;
}

KeyShare JointParty::first_share(std::span<const rlwe::Commitment> commitments) {
  return first_share(pointers(commitments));
}

rlwe::FirstRound JointParty::agreed(std::span<const KeyShare* const> first) {
  require_spoken(first);
  PartyState state = store_->read();
  const std::vector<Digest> commitments = state.commitments();
  if (commitments.empty() || !state.has_secret(session_)) {
    throw ArgumentError(
        message("party ", number_, " has not shown its first share: everybody commits first, and shows it then"));
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i]->party() != number_ || first[i]->session() != session_.digest()) continue;
    if (rlwe::committed(*first[i]) == commitments[rlwe::place_of(session_, number_)]) continue;
    throw MismatchError(message("the first share of party ", number_,
                                " is not the one that it made: somebody altered it, or made another in its name"));
  }
  rlwe::FirstRound sums(session_, context_, first, commitments);
  if (state.answered() != sums.digest()) rlwe::audit(session_, context_, first, number_);  // once
  keep(state, [&](PartyState& changed) { changed.answer(sums.digest()); });
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
  const rlwe::FirstRound sums(session_, context_, first, commitments);
  rlwe::audit(session_, context_, first);
  store_->change([&](PartyState& state) {
    state.show(commitments);
    state.answer(sums.digest());
  });
}

KeyShare JointParty::second_share(std::span<const KeyShare* const> first) {
  if (!session_.relinearization()) {
    throw ArgumentError("this session makes no relinearisation key, so there is no second round; agree() is enough");
  }
  return own_second(agreed(first), {});
}
KeyShare JointParty::second_share(std::span<const KeyShare> first) { return second_share(pointers(first)); }

/// Whether a second share in this party's name is the one that it made, without making another proof. Nobody without
/// its secret proves the same rows a second time; where it signs, nobody without its identity, either.
bool JointParty::has_made(const rlwe::FirstRound& sums, const KeyShare& share) const {
  if (share.round() != KeyShare::Round::second || share.party() != number_ || share.session() != session_.digest() ||
      share.basis() != sums.digest() || share.context() != context_) {
    return false;
  }
  if (share.residues() != rlwe::unproved_share(sums, number_, secret()).residues()) return false;
  if (voice_.verify) return voice_.verify(number_, rlwe::digest_of(share), share.signature());
  return rlwe::is_proved(sums, share);
}

/// Its second share: made once in its life, and then found among what has arrived, or made again.
KeyShare JointParty::own_second(const rlwe::FirstRound& sums, std::span<const KeyShare* const> second) const {
  if (std::optional<KeyShare> known = own_->second_of(sums)) return spoken(*std::move(known));
  const auto found = std::ranges::find_if(second, [&](const KeyShare* each) { return has_made(sums, *each); });
  if (found != second.end()) return spoken(own_->keep(**found));
  return spoken(own_->keep(rlwe::second_share(sums, number_, secret())));
}

rlwe::Acceptance JointParty::accepted(const rlwe::FirstRound& sums, std::span<const KeyShare* const> second) {
  const Digest seen = session_.relinearization() ? rlwe::transcript(sums, second) : sums.digest();
  PartyState state = store_->read();
  if (state.accepted().transcript != seen) rlwe::require_proved(sums, second, number_);  // once
  keep(state, [&](PartyState& changed) { changed.accept(seen); });
  return spoken(rlwe::Acceptance(session_.parameters(), session_.digest(), number_, seen));
}

rlwe::Acceptance JointParty::accept(std::span<const KeyShare* const> first, std::span<const KeyShare* const> second) {
  require_spoken(second);
  const rlwe::FirstRound sums = agreed(first);
  for (const KeyShare* const share : second) {
    if (share->party() != number_ || share->session() != session_.digest()) continue;
    if (rlwe::digest_of(*share) == rlwe::digest_of(own_second(sums, second))) continue;
    throw MismatchError(message("the second share of party ", number_,
                                " is not the one that it made: somebody altered it, or made another in its name"));
  }
  return accepted(sums, second);
}
rlwe::Acceptance JointParty::accept(std::span<const KeyShare> first, std::span<const KeyShare> second) {
  return accept(pointers(first), pointers(second));
}

void JointParty::seal(std::span<const rlwe::Acceptance* const> all) {
  require_spoken(all);
  PartyState state = store_->read();
  if (state.accepted().transcript == Digest{}) {
    throw ArgumentError(message("party ", number_, " has not accepted the key itself yet"));
  }
  rlwe::require_accepted(session_, state.accepted().transcript, all);
  keep(state, [](PartyState& changed) { changed.seal(); });
}
void JointParty::seal(std::span<const rlwe::Acceptance> all) { seal(pointers(all)); }

JointProgress JointParty::advance(const JointMessages& inbox) {
  JointProgress progress;
  require_spoken<rlwe::Coin>(pointers<rlwe::Coin>(inbox.coins));
  require_spoken<rlwe::Commitment>(pointers<rlwe::Commitment>(inbox.commitments));
  require_spoken<KeyShare>(pointers<KeyShare>(inbox.shares));
  require_spoken<rlwe::Acceptance>(pointers<rlwe::Acceptance>(inbox.acceptances));
  const auto value_of = [](const rlwe::Coin& each) { return rlwe::digest_of(each); };
  std::vector<const rlwe::Coin*> tosses;
  std::optional<rlwe::Coin> own_toss;
  if (session_.audit() > 1) {
    own_toss.emplace(toss());
    progress.sent.coins.push_back(*own_toss);
    tosses = sorted(session_, of_stage(inbox, rlwe::Coin::Stage::tossed), *own_toss, "toss", value_of);
    if (!complete(session_, tosses, "toss", progress)) return progress;
  }

  const rlwe::Commitment commitment = commit(tosses);
  progress.sent.commitments.push_back(commitment);
  const auto commitments = sorted(session_, pointers<rlwe::Commitment>(inbox.commitments), commitment, "commit",
                                  [](const rlwe::Commitment& each) { return each.digest(); });
  if (!complete(session_, commitments, "commit", progress)) return progress;

  std::vector<const rlwe::Coin*> coins;
  std::optional<rlwe::Coin> own_coin;
  if (session_.audit() > 1) {
    own_coin.emplace(show_coin(commitments));
    progress.sent.coins.push_back(*own_coin);
    coins = sorted(session_, of_stage(inbox, rlwe::Coin::Stage::shown), *own_coin, "coin", value_of);
    if (!complete(session_, coins, "coin", progress)) return progress;
  }

  const KeyShare own_first = coins.empty() ? first_share(commitments) : first_share(coins);
  progress.sent.shares.push_back(own_first);
  const auto first = sorted(session_, of_round(inbox, KeyShare::Round::first), own_first, "first",
                            [](const KeyShare& each) { return rlwe::digest_of(each); });
  if (!complete(session_, first, "first", progress)) return progress;

  std::vector<const KeyShare*> second;
  std::optional<KeyShare> own_answer;
  const rlwe::FirstRound sums = agreed(first);
  if (session_.relinearization()) {
    const std::vector<const KeyShare*> arrived = of_round(inbox, KeyShare::Round::second);
    own_answer.emplace(own_second(sums, arrived));
    progress.sent.shares.push_back(*own_answer);
    second =
        sorted(session_, arrived, *own_answer, "second", [](const KeyShare& each) { return rlwe::digest_of(each); });
    if (!complete(session_, second, "second", progress)) return progress;
  }
  const rlwe::Acceptance own_word = accepted(sums, second);
  progress.sent.acceptances.push_back(own_word);
  const auto words = sorted(session_, pointers<rlwe::Acceptance>(inbox.acceptances), own_word, "accept",
                            [](const rlwe::Acceptance& each) { return rlwe::digest_of(each); });
  if (!complete(session_, words, "accept", progress)) return progress;
  seal(words);
  progress.keys.emplace(JointKeys{sums.public_key(), sums.evaluation_keys(second)});
  progress.transcript = own_word.seen();
  progress.stage = "done";
  return progress;
}

std::vector<rlwe::SecretShare> JointParty::deal() const { return rlwe::deal_secret(session_, number_, secret()); }

DecryptionShare JointParty::decryption_share(const EncryptedArray& x, std::vector<std::uint32_t> active,
                                             unsigned flooding_bits, const rlwe::SecretShare* share,
                                             const Options& options) const {
  const PartyState before = store_->read();
  const rlwe::KeyId key = key_of(before);
  DecryptionShare made = value::decryption_share(session_, key, number_, secret_by(before), share, x, std::move(active),
                                                 flooding_bits, options);
  const Digest question = question_of(made.facts());
  if (before.has_decrypted(question)) return made;
  store_->change([&](PartyState& state) { state.decrypt(question, ciphertexts_of(x), session_.decryptions()); });
  return made;
}

rlwe::RevealCount JointParty::decryptions() const {
  return {session_.decryptions(), store_->read().decrypted().ciphertexts};
}

}  // namespace cyclotome::value
