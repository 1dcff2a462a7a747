// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/party_state.hpp"

#include <algorithm>

#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"

namespace cyclotome::rlwe {

PartyState PartyState::create(const ThresholdSession& session, std::uint32_t party) {
  session.require_party(party);
  return {session.digest(), party, Seed::from_system(), {}, Digest{}};
}

PartyState PartyState::copy() const {
  return {session_, party_, Seed(seed_.bytes()), commitments_, answered_, decrypted_, audited_, accepted_};
}

void PartyState::commit(const std::vector<Digest>& tosses, const std::vector<Digest>& candidates) {
  if (audited_.tosses.empty()) {
    audited_ = {.tosses = tosses, .candidates = candidates, .coin = {}};
    ++changes_;
  }
  if (audited_.tosses == tosses) return;
  throw RepeatedAnswerError(
      message("party ", party_,
              " has drawn its candidates for other coins of this session than these: some party tossed anew; begin a "
              "new session, in which everybody does"));
}

void PartyState::choose(const Digest& coin) {
  if (audited_.coin == Digest{}) {
    audited_.coin = coin;
    ++changes_;
  }
  if (audited_.coin == coin) return;
  throw RepeatedAnswerError(message("party ", party_, " has opened its candidates for the coin ",
                                    hexadecimal(audited_.coin).substr(0, 8),
                                    "... of this session, and is asked to open others for ",
                                    hexadecimal(coin).substr(0, 8), "...; begin a new session"));
}

void PartyState::show(const std::vector<Digest>& commitments) {
  if (commitments_.empty()) {
    commitments_ = commitments;
    ++changes_;
  }
  if (commitments_ == commitments) return;
  throw RepeatedAnswerError(
      message("party ", party_,
              " has shown what it committed to after other commitments of this session than these: some "
              "party made a new one; begin a new session, in which everybody commits anew"));
}

void PartyState::answer(const Digest& first_round) {
  if (!has_answered()) {
    answered_ = first_round;
    ++changes_;
  }
  if (answered_ == first_round) return;
  throw RepeatedAnswerError(message(
      "party ", party_, " has answered the first round ", hexadecimal(answered_).substr(0, 8),
      "... of this session, and is asked about another one, ", hexadecimal(first_round).substr(0, 8),
      "...: some party's first share is not the one that it was. A party answers once; begin a new session, in which "
      "everybody makes a new share"));
}

void PartyState::accept(const Digest& transcript) {
  if (!has_answered()) {
    throw ArgumentError(
        message("party ", party_, " has answered no first round yet, so that there is nothing to accept"));
  }
  if (accepted_.transcript == Digest{}) {
    accepted_.transcript = transcript;
    ++changes_;
  }
  if (accepted_.transcript == transcript) return;
  throw RepeatedAnswerError(
      message("party ", party_, " has accepted the key of messages ", hexadecimal(accepted_.transcript).substr(0, 8),
              "... of this session, and is asked ", "to accept one of others, ", hexadecimal(transcript).substr(0, 8),
              "...: some party's second share is not the one that it was; begin a new session"));
}

void PartyState::seal() {
  if (accepted_.transcript == Digest{}) {
    throw ArgumentError(message("party ", party_, " has not accepted the key itself yet"));
  }
  if (accepted_.by_all) return;
  accepted_.by_all = true;
  ++changes_;
}

bool PartyState::has_decrypted(const Digest& question) const {
  return std::ranges::find(decrypted_.questions, question) != decrypted_.questions.end();
}

void PartyState::require_decryptions(std::uint64_t ciphertexts, std::uint64_t planned) const {
  require_left({planned, decrypted_.ciphertexts}, ciphertexts,
               {.what = "threshold decryption",
                .whose = message("each party of this session, as party ", party_, " has counted"),
                .remedy = "begin a new session, which plans more, and encrypt anew under its key"});
}

void PartyState::decrypt(const Digest& question, std::uint64_t ciphertexts, std::uint64_t planned) {
  if (has_decrypted(question)) return;
  require_decryptions(ciphertexts, planned);
  std::vector<Digest>& questions = decrypted_.questions;
  if (questions.size() >= Decrypted::most_questions) questions.erase(questions.begin());
  questions.push_back(question);
  decrypted_.ciphertexts += ciphertexts;
  ++changes_;
}

}  // namespace cyclotome::rlwe
