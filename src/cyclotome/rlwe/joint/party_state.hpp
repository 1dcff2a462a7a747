// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/ring/randomness/seed.hpp"
#include "cyclotome/rlwe/joint/threshold_session.hpp"

namespace cyclotome::rlwe {

/// What one party of a session keeps, and nobody else may have: 32 bytes that all it draws comes of, the commitments
/// after which it showed its first share, and which first round it has answered. Whoever holds it on a disk
/// (io/joint/party_file.hpp) writes it before the answer leaves.
class PartyState {
 public:
  /// A new party, of the operating system's randomness. Throws ArgumentError for somebody who takes no part.
  static PartyState create(const ThresholdSession& session, std::uint32_t party);
  /// One that was kept. commitments: of all parties in their order, or none. answered: FirstRound::digest of the round
  /// that it has answered; zeros for none.
  PartyState(const Digest& session, std::uint32_t party, Seed seed, std::vector<Digest> commitments,
             const Digest& answered)
      : session_(session),
        party_(party),
        seed_(std::move(seed)),
        commitments_(std::move(commitments)),
        answered_(answered) {}

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

  /// Takes note of the commitments after which the first share is shown: once. Throws RepeatedAnswerError for others.
  void show(const std::vector<Digest>& commitments);
  /// Takes note of the first round that is answered: once; the same one again changes nothing. Throws
  /// RepeatedAnswerError for another one.
  void answer(const Digest& first_round);

 private:
  Digest session_;
  std::uint32_t party_;
  Seed seed_;
  std::vector<Digest> commitments_;
  Digest answered_;
};

}  // namespace cyclotome::rlwe
