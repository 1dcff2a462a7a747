// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cyclotome/rlwe/joint/acceptance.hpp"
#include "cyclotome/rlwe/joint/joint_coins.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"
#include "cyclotome/rlwe/joint/party_state.hpp"
#include "cyclotome/rlwe/joint/threshold_keys.hpp"
#include "cyclotome/value/joint/threshold_decryption.hpp"

// One party of a joint key: its secret, and what it has to remember (doc/threshold.md).
namespace cyclotome::value {

/// Where a party's state is kept.
class PartyStore {
 public:
  PartyStore() = default;
  PartyStore(const PartyStore&) = delete;
  PartyStore& operator=(const PartyStore&) = delete;
  virtual ~PartyStore() = default;

  /// The state as it is kept now.
  virtual rlwe::PartyState read() = 0;
  /// Changes the state. When this returns the change is kept; when it throws, nothing has changed. Nobody else, be it
  /// another process, reads or changes the state meanwhile.
  virtual void change(const std::function<void(rlwe::PartyState&)>& change) = 0;
};

/// A store in memory: for a party that lives and ends with its process. What it has answered is forgotten then, and so
/// is its secret.
std::shared_ptr<PartyStore> store_in_memory(rlwe::PartyState state);

/// What all parties can make of all key shares: ordinary keys, whose secret nobody has.
struct JointKeys {
  rlwe::PublicKey public_key;       ///< encrypts; for everybody
  rlwe::EvaluationKeys evaluation;  ///< computes; for whoever computes
};

/// Messages of the stages that make a key, in any order.
struct JointMessages {
  std::vector<rlwe::Coin> coins;              ///< with an audit: before the commitments, and after them
  std::vector<rlwe::Commitment> commitments;  ///< before the first round
  std::vector<rlwe::KeyShare> shares;         ///< of both rounds
  std::vector<rlwe::Acceptance> acceptances;  ///< after both rounds
};

/// How a party signs what it sends, and sees who signed what it gets: with rlwe::Identity, or whatever else has keys of
/// these parties. Both get `rlwe::digest_of` a message, which binds session, stage, sender and all that came before it.
struct JointVoice {
  /// 64 bytes, always the same of the same digest.
  std::function<std::vector<std::uint8_t>(const Digest& digest)> sign;
  /// Whether this is the party's signature.
  std::function<bool(std::uint32_t party, const Digest& digest, std::span<const std::uint8_t> signature)> verify;
};

/// How far a party is.
struct JointProgress {
  JointMessages sent;                  ///< all that it has to send, what it sent before among it
  std::string stage;                   ///< what it waits for: "toss", "commit", "coin", "first", "second", "accept"; or
                                       ///< "done"
  std::vector<std::uint32_t> missing;  ///< from whom
  std::optional<JointKeys> keys;       ///< once it is done
  Digest transcript{};                 ///< of all that was sent, once it is done: to be read out to each other
};

/// A party of a session. Whatever it draws comes of its seed, so that the same question gets the same answer, bit for
/// bit; a question that changed gets none.
class JointParty {
 public:
  /// A new party, kept in memory alone. Throws ArgumentError for somebody who takes no part, MismatchError for a
  /// context of other parameters.
  JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context, std::uint32_t number);
  /// The party of this store, such as io::PartyFile. Throws MismatchError for one of another session.
  JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context, std::shared_ptr<PartyStore> store);

  /// From now on it signs what it sends, and refuses what its sender did not sign (MismatchError): blame is proof then.
  void speak_with(JointVoice voice) { voice_ = std::move(voice); }

  /// The session that it takes part in.
  const rlwe::ThresholdSession& session() const noexcept { return session_; }
  /// Which party this is.
  std::uint32_t number() const noexcept { return number_; }
  /// Its own secret key, which decrypts nothing by itself. Throws ArgumentError in a session with an audit before the
  /// coin says which candidate it is.
  const rlwe::SecretKey& secret() const;
  /// Whether it knows the joint key: it has agreed to a first round.
  bool knows_key() const;
  /// The joint key's id. Throws ArgumentError before it is known.
  rlwe::KeyId key() const;

  /// What it sends first in a session with an audit, to all parties: a hash of its part of the coin. Throws
  /// ArgumentError without an audit.
  rlwe::Coin toss() const;
  /// What it commits to, for all parties: a hash of its first share or, with an audit, of all candidates for it, once
  /// all have tossed. It is kept for which tosses before this returns. tosses: of all parties; none without an audit.
  /// Throws ArgumentError if one is missing or repeated; MismatchError for those of another session and where its own
  /// is another one than it made; RepeatedAnswerError where it drew candidates for others before.
  rlwe::Commitment commit(std::span<const rlwe::Coin* const> tosses = {});
  rlwe::Commitment commit(std::span<const rlwe::Coin> tosses);
  /// With an audit, its part of the coin, for all parties, once those have committed. Throws as first_share does after
  /// commitments; ArgumentError before it has committed.
  rlwe::Coin show_coin(std::span<const rlwe::Commitment* const> commitments);
  rlwe::Coin show_coin(std::span<const rlwe::Commitment> commitments);
  /// The message of the first round, for all parties, once those have committed. It is kept after which commitments
  /// before this returns. Throws ArgumentError if one is missing or repeated, and with an audit; MismatchError for
  /// those of another session and where its own is another one than it made; RepeatedAnswerError where it was shown
  /// after others before.
  rlwe::KeyShare first_share(std::span<const rlwe::Commitment* const> commitments);
  rlwe::KeyShare first_share(std::span<const rlwe::Commitment> commitments);
  /// The same with an audit, once all have shown their parts of the coin: the candidate that it chose, and the seeds of
  /// the others. Throws ArgumentError if a part is missing or repeated, before the own one was shown, and without an
  /// audit; BlameError, which names whoever shows another part than it tossed; MismatchError for parts of another
  /// session or shown after other commitments; RepeatedAnswerError where others were opened before.
  rlwe::KeyShare first_share(std::span<const rlwe::Coin* const> coins);
  rlwe::KeyShare first_share(std::span<const rlwe::Coin> coins);
  /// Takes the first shares of all parties as those of this session, for good. Throws RepeatedAnswerError where it has
  /// agreed to others before; BlameError, which names whoever sent another share than it committed to, or opened a
  /// candidate that its seed does not give; ArgumentError if one is missing or repeated, or before the own one was
  /// shown; MismatchError for shares of another session.
  void agree(std::span<const rlwe::KeyShare* const> first);
  void agree(std::span<const rlwe::KeyShare> first);
  /// The same for who takes the place of a party that lost everything, where fewer than all decrypt: its own share is
  /// not among them, as its secret is no part of the joint one; it decrypts with what the others deal to it. Throws
  /// ArgumentError where all decrypt.
  void replace(std::span<const rlwe::KeyShare* const> first);
  /// As agree, and the message of the second round. It is kept that they were answered before this returns. Throws
  /// ArgumentError, too, in a session without relinearisation key: there is no second round then.
  rlwe::KeyShare second_share(std::span<const rlwe::KeyShare* const> first);
  rlwe::KeyShare second_share(std::span<const rlwe::KeyShare> first);

  /// Accepts the key that these shares of all parties make, for good, once it has looked at the proofs of all second
  /// ones: what it says so with goes to all parties. second: none in a session without relinearisation key. It is kept
  /// before this returns. Throws as agree does; BlameError, which names whose second share is not proved by what it
  /// carries; RepeatedAnswerError where it has accepted other shares.
  rlwe::Acceptance accept(std::span<const rlwe::KeyShare* const> first, std::span<const rlwe::KeyShare* const> second);
  rlwe::Acceptance accept(std::span<const rlwe::KeyShare> first, std::span<const rlwe::KeyShare> second = {});
  /// Takes the acceptances of all parties: from now on the key is accepted, and that is kept. Throws ArgumentError if
  /// one is missing or repeated, or before it has accepted the key itself; MismatchError for those of another session,
  /// and where a party accepts a key of other messages.
  void seal(std::span<const rlwe::Acceptance* const> all);
  void seal(std::span<const rlwe::Acceptance> all);
  /// Whether all parties have accepted the key. Before that it is not to be used.
  bool accepted() const { return store_->read().accepted().by_all; }

  /// Takes whatever has arrived and does what is next, be it several stages: a party that does nothing else follows the
  /// protocol. inbox: all messages so far, of others and its own; some may be there twice. Asked again it says the
  /// same; a second share, whose proof is most of the work, is not made again where its own is there. Throws as the
  /// stages do; BlameError, too, for two messages of one party and stage that differ.
  JointProgress advance(const JointMessages& inbox);

  /// What it deals to every party, itself included, in their order. Throws ArgumentError where all decrypt.
  std::vector<rlwe::SecretShare> deal() const;

  /// Its part in decrypting x. share: the sum of what it was dealt, where fewer than all parties decrypt; else null.
  /// What it is about is counted, and kept, before this returns; the same question again is not, if it is among the
  /// last rlwe::Decrypted::most_questions. Throws what value::decryption_share does; ArgumentError before the key is
  /// known; BudgetError where the session planned fewer ciphertexts (ThresholdSession::decryptions).
  DecryptionShare decryption_share(const EncryptedArray& x, std::vector<std::uint32_t> active, unsigned flooding_bits,
                                   const rlwe::SecretShare* share = nullptr, const Options& options = {}) const;

  /// Ciphertexts of one plaintext modulus that it has helped to decrypt, of those that the session planned. A refreshed
  /// share of the joint secret changes nothing about it.
  rlwe::RevealCount decryptions() const;

  /// What it keeps, as it is now: for whoever shows how far it is.
  rlwe::PartyState state() const { return store_->read(); }

 private:
  JointParty(rlwe::ThresholdSession session, const rlwe::ContextPtr& context, std::shared_ptr<PartyStore> store,
             const rlwe::PartyState& state);
  template <class Message>
  Message spoken(Message message) const;
  template <class Message>
  void require_spoken(std::span<const Message* const> messages) const;
  rlwe::KeyId key_of(const rlwe::PartyState& state) const;
  rlwe::FirstRound agreed(std::span<const rlwe::KeyShare* const> first);
  /// Changes what is kept, unless it is so already; and this copy of it.
  void keep(rlwe::PartyState& state, const std::function<void(rlwe::PartyState&)>& change) const;
  const rlwe::SecretKey& secret_by(const rlwe::PartyState& state) const;
  rlwe::KeyShare chosen_share(const rlwe::PartyState& state) const;
  void require_own_commitment(const std::vector<Digest>& all, const Digest& own) const;
  void require_audit(bool wanted, const char* how) const;
  rlwe::Acceptance accepted(const rlwe::FirstRound& sums, std::span<const rlwe::KeyShare* const> second);
  rlwe::KeyShare own_second(const rlwe::FirstRound& sums, std::span<const rlwe::KeyShare* const> second) const;
  bool has_made(const rlwe::FirstRound& sums, const rlwe::KeyShare& share) const;

  /// The secret key, from when it is known, and the second share.
  struct Own;

  rlwe::ThresholdSession session_;
  rlwe::ContextPtr context_;
  std::shared_ptr<PartyStore> store_;
  std::uint32_t number_;
  std::shared_ptr<Own> own_;
  JointVoice voice_;
};

}  // namespace cyclotome::value
