// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/party_state.hpp"

#include "cyclotome/rlwe/joint/joint_errors.hpp"

namespace cyclotome::rlwe {

PartyState PartyState::create(const ThresholdSession& session, std::uint32_t party) {
  session.require_party(party);
  return {session.digest(), party, Seed::from_system(), {}, Digest{}};
}

void PartyState::show(const std::vector<Digest>& commitments) {
  if (commitments_.empty()) commitments_ = commitments;
  if (commitments_ == commitments) return;
  throw RepeatedAnswerError(
      message("party ", party_,
              " has shown its first share after other commitments of this session than these: some "
              "party made a new one; begin a new session, in which everybody commits anew"));
}

void PartyState::answer(const Digest& first_round) {
  if (!has_answered()) answered_ = first_round;
  if (answered_ == first_round) return;
  throw RepeatedAnswerError(message(
      "party ", party_, " has answered the first round ", hexadecimal(answered_).substr(0, 8),
      "... of this session, and is asked about another one, ", hexadecimal(first_round).substr(0, 8),
      "...: some party's first share is not the one that it was. A party answers once; begin a new session, in which "
      "everybody makes a new share"));
}

}  // namespace cyclotome::rlwe
