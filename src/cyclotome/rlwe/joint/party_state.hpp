// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/ring/randomness/seed.hpp"
#include "cyclotome/rlwe/joint/threshold_session.hpp"

namespace cyclotome::rlwe {

/// What a party of a session with an audit keeps of it; nothing before it has committed.
struct Audited {
  std::vector<Digest> tosses;      ///< of all parties in their order: what its candidates were drawn for
  std::vector<Digest> candidates;  ///< hashes of its own
  Digest coin{};                   ///< that chose which of them it kept; zeros before it is known
};

/// What a party has helped to decrypt.
struct Decrypted {
  /// Questions that are remembered, so that who asks one of them again is not counted again.
  static constexpr std::size_t most_questions = 1024;
  std::uint64_t ciphertexts = 0;  ///< of one plaintext modulus, in the key's life
  std::vector<Digest> questions;  ///< the last ones, the latest last: value::question_of
};

/// What a party has accepted.
struct Accepted {
  Digest transcript{};  ///< of all messages that made the key; zeros before it has accepted them
  bool by_all = false;  ///< whether all parties accepted that
};

/// What one party of a session keeps, and nobody else may have: 32 bytes that all it draws comes of, the commitments
/// after which it showed its first share, what it keeps of an audit, which first round it has answered, and how much it
/// has helped to decrypt. Whoever holds it on a disk (io/joint/party_file.hpp) writes it before the answer leaves.
class PartyState {
 public:
  /// A new party, of the operating system's randomness. Throws ArgumentError for somebody who takes no part.
  static PartyState create(const ThresholdSession& session, std::uint32_t party);
  /// One that was kept. commitments: of all parties in their order, or none. answered: FirstRound::digest of the round
  /// that it has answered; zeros for none.
  PartyState(const Digest& session, std::uint32_t party, Seed seed, std::vector<Digest> commitments,
             const Digest& answered, Decrypted decrypted = {}, Audited audited = {}, Accepted accepted = {})
      : session_(session),
        party_(party),
        seed_(std::move(seed)),
        commitments_(std::move(commitments)),
        answered_(answered),
        decrypted_(std::move(decrypted)),
        audited_(std::move(audited)),
        accepted_(accepted) {}
  /// A copy, seed and all.
  PartyState copy() const;

  /// Of the session that it belongs to: ThresholdSession::digest.
  const Digest& session() const noexcept { return session_; }
  /// Which party this is.
  std::uint32_t party() const noexcept { return party_; }
  /// **Secret**: whoever has it has the party's secret key.
  const Seed& seed() const noexcept { return seed_; }
  /// Of all parties in their order; none before it has shown its first share.
  const std::vector<Digest>& commitments() const noexcept { return commitments_; }
  /// Whether it has answered a first round, and so knows the joint key.
  bool has_answered() const noexcept { return answered_ != Digest{}; }
  /// FirstRound::digest of that; zeros before.
  const Digest& answered() const noexcept { return answered_; }

  /// Which key it accepted.
  const Accepted& accepted() const noexcept { return accepted_; }
  /// What it keeps of an audit.
  const Audited& audited() const noexcept { return audited_; }
  /// Whether its secret is known: which of its candidates is kept, where there are several.
  bool has_secret(const ThresholdSession& session) const noexcept {
    return session.audit() == 1 || audited_.coin != Digest{} || has_answered();
  }

  /// Takes note of the tosses that candidates are drawn for, and of these: once. Throws RepeatedAnswerError for other
  /// tosses.
  void commit(const std::vector<Digest>& tosses, const std::vector<Digest>& candidates);
  /// Takes note of the coin that chose the candidate that is kept: once. Throws RepeatedAnswerError for another one.
  void choose(const Digest& coin);
  /// Takes note of the commitments after which the first share, or the coin, is shown: once. Throws RepeatedAnswerError
  /// for others.
  void show(const std::vector<Digest>& commitments);
  /// Takes note of the first round that is answered: once; the same one again changes nothing. Throws
  /// RepeatedAnswerError for another one.
  void answer(const Digest& first_round);

  /// Takes note of the transcript of all that made the key, which it accepts: once. Throws RepeatedAnswerError for
  /// another one, ArgumentError before it has answered.
  void accept(const Digest& transcript);
  /// Takes note that all accepted it. Throws ArgumentError before it has itself.
  void seal();

  /// What it has helped to decrypt so far, whatever share of the joint secret it had then.
  const Decrypted& decrypted() const noexcept { return decrypted_; }
  /// Whether this question was counted, and is remembered.
  bool has_decrypted(const Digest& question) const;
  /// Throws BudgetError if these are more than what is left of `planned`, and counts nothing.
  void require_decryptions(std::uint64_t ciphertexts, std::uint64_t planned) const;
  /// Counts what a question is about, unless it is remembered. Throws BudgetError as above; then nothing is counted.
  void decrypt(const Digest& question, std::uint64_t ciphertexts, std::uint64_t planned);

  /// Changes since it was made or read: what is unchanged need not be written.
  std::size_t changes() const noexcept { return changes_; }

 private:
  Digest session_;
  std::uint32_t party_;
  Seed seed_;
  std::vector<Digest> commitments_;
  Digest answered_;
  Decrypted decrypted_;
  Audited audited_;
  Accepted accepted_;
  std::size_t changes_ = 0;
};

}  // namespace cyclotome::rlwe
