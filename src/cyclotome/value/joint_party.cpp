// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint_party.hpp"

#include <algorithm>
#include <mutex>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/secret_sharing.hpp"

namespace cyclotome::value {

namespace {

using rlwe::KeyShare;
using rlwe::PartyState;

/// A copy, of which Seed has none by itself.
PartyState copy_of(const PartyState& state) {
  return {state.session(), state.party(), Seed(state.seed().bytes()), state.answered()};
}

class MemoryStore final : public PartyStore {
 public:
  explicit MemoryStore(PartyState state) : state_(std::move(state)) {}

  PartyState read() override {
    const std::lock_guard lock(mutex_);
    return copy_of(state_);
  }
  void change(const std::function<void(PartyState&)>& change) override {
    const std::lock_guard lock(mutex_);
    PartyState changed = copy_of(state_);
    change(changed);
    state_ = std::move(changed);
  }

 private:
  std::mutex mutex_;
  PartyState state_;
};

std::vector<const KeyShare*> pointers(std::span<const KeyShare> shares) {
  std::vector<const KeyShare*> all;
  for (const KeyShare& share : shares) all.push_back(&share);
  return all;
}

rlwe::SecretKey secret_of(const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context,
                          const PartyState& state) {
  session.require_same("the party's state", state.session());
  return rlwe::party_key(session, context, state.party(), state.seed());
}

}  // namespace

std::shared_ptr<PartyStore> store_in_memory(PartyState state) {
  return std::make_shared<MemoryStore>(std::move(state));
}

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context, std::uint32_t number)
    : JointParty(session, context, store_in_memory(PartyState::create(session, number))) {}

JointParty::JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context,
                       std::shared_ptr<PartyStore> store)
    : session_(std::move(session)),
      store_(std::move(store)),
      number_(store_->read().party()),
      secret_(secret_of(session_, context, store_->read())) {}

bool JointParty::knows_key() const { return store_->read().has_answered(); }

rlwe::KeyId JointParty::key() const {
  const PartyState state = store_->read();
  if (state.has_answered()) return rlwe::joint_key_id(session_.digest(), state.answered());
  throw ArgumentError(message("party ", number_,
                              " does not know the joint key yet: it has not answered the first shares of all parties"));
}

KeyShare JointParty::first_share() const { return rlwe::first_share(session_, number_, secret_); }

rlwe::FirstRound JointParty::agreed(std::span<const KeyShare* const> first) {
  rlwe::FirstRound sums(session_, secret_.context(), first);
  const KeyShare* const own = *std::ranges::find(first, number_, &KeyShare::party);
  if (rlwe::digest_of(*own) != rlwe::digest_of(first_share())) {
    throw MismatchError(message("the first share of party ", number_,
                                " is not the one that it made: somebody altered it, or made another in its name"));
  }
  store_->change([&](PartyState& state) { state.answer(sums.digest()); });
  return sums;
}

void JointParty::agree(std::span<const KeyShare* const> first) { static_cast<void>(agreed(first)); }
void JointParty::agree(std::span<const KeyShare> first) { agree(pointers(first)); }

KeyShare JointParty::second_share(std::span<const KeyShare* const> first) {
  if (!session_.relinearization()) {
    throw ArgumentError("this session makes no relinearisation key, so there is no second round; agree() is enough");
  }
  return rlwe::second_share(agreed(first), number_, secret_);
}
KeyShare JointParty::second_share(std::span<const KeyShare> first) { return second_share(pointers(first)); }

std::vector<rlwe::SecretShare> JointParty::deal() const { return rlwe::deal_secret(session_, number_, secret_); }

DecryptionShare JointParty::decryption_share(const EncryptedArray& x, std::vector<std::uint32_t> active,
                                             unsigned flooding_bits, const rlwe::SecretShare* share,
                                             const Options& options) const {
  return value::decryption_share(session_, key(), number_, secret_, share, x, std::move(active), flooding_bits,
                                 options);
}

}  // namespace cyclotome::value
