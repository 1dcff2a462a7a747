// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/joint_evidence.hpp"

#include <map>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/joint/joint_audit.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"
#include "cyclotome/rlwe/joint/share_proof.hpp"

namespace cyclotome::value {

namespace {

using rlwe::KeyShare;

std::string stage_of(const rlwe::Coin& coin) { return coin.stage() == rlwe::Coin::Stage::tossed ? "toss" : "coin"; }
std::string stage_of(const rlwe::Commitment&) { return "commit"; }
std::string stage_of(const KeyShare& share) { return share.round() == KeyShare::Round::first ? "first" : "second"; }

std::string stage_of(const rlwe::Acceptance&) { return "accept"; }

/// The digests that senders signed, by stage and sender.
using Signed = std::map<std::pair<std::string, std::uint32_t>, Digest>;

/// Takes note of what a sender signed; a fault where it signed something else of this stage.
template <class Message>
std::optional<JointFault> noted(const rlwe::ThresholdSession& session, const Message& each, Signed& known,
                                const decltype(JointVoice::verify)& verify) {
  session.require_same("a message", each.session());
  session.require_party(each.party());
  const Digest digest = rlwe::digest_of(each);
  if (each.signature().empty() || !verify(each.party(), digest, each.signature())) {
    throw MismatchError(message("a message in the name of party ", each.party(),
                                " is not signed by it in this session, and shows nothing"));
  }
  const auto [place, is_new] = known.emplace(std::pair(stage_of(each), each.party()), digest);
  if (is_new || place->second == digest) return std::nullopt;
  return JointFault{each.party(), stage_of(each), message("it signed two messages of stage \"", stage_of(each), "\"")};
}

/// A fault where a candidate that a first share opens is not what its seed gives.
std::optional<JointFault> audited(const rlwe::ThresholdSession& session, const KeyShare& share) {
  const KeyShare* const one = &share;
  try {
    rlwe::audit(session, share.context(), std::span(&one, 1));
  } catch (const BlameError&) {
    return JointFault{share.party(), "first", "a candidate that it opened is not what its seed gives"};
  }
  return std::nullopt;
}

/// A fault where a second share is not proved, beside the first shares that it answers.
std::optional<JointFault> unproved(const rlwe::ThresholdSession& session, const std::vector<KeyShare>& shares) {
  std::map<std::uint32_t, const KeyShare*> first;
  std::vector<const KeyShare*> second, all;
  for (const KeyShare& each : shares) {
    if (each.round() == KeyShare::Round::first) {
      first.emplace(each.party(), &each);
    } else {
      second.push_back(&each);
    }
  }
  if (second.empty() || first.size() != session.parties().size()) return std::nullopt;
  for (const auto& [party, share] : first) all.push_back(share);
  const rlwe::FirstRound sums(session, all.front()->context(), all);
  for (const KeyShare* const each : second) {
    if (each->basis() != sums.digest() || rlwe::is_proved(sums, *each)) continue;
    return JointFault{each->party(), "second", "its second share is not proved by what it carries"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<JointFault> fault_in(const rlwe::ThresholdSession& session, const JointMessages& messages,
                                   const decltype(JointVoice::verify)& verify) {
  Signed known;
  std::optional<JointFault> found;
  std::map<std::uint32_t, Digest> tossed;
  for (const rlwe::Coin& each : messages.coins) {
    const auto fault = noted(session, each, known, verify);
    if (!found) found = fault;
    if (each.stage() == rlwe::Coin::Stage::tossed) tossed.emplace(each.party(), each.value());
  }
  for (const rlwe::Coin& each : messages.coins) {
    const auto toss = tossed.find(each.party());
    if (found || each.stage() != rlwe::Coin::Stage::shown || toss == tossed.end()) continue;
    if (toss->second == rlwe::tossed(session.digest(), each.party(), each.value())) continue;
    found = JointFault{each.party(), "coin", "it showed another coin than it tossed"};
  }
  std::map<std::uint32_t, Digest> committed;
  for (const rlwe::Commitment& each : messages.commitments) {
    const auto fault = noted(session, each, known, verify);
    if (!found) found = fault;
    committed.emplace(each.party(), each.digest());
  }
  for (const KeyShare& each : messages.shares) {
    const auto fault = noted(session, each, known, verify);
    if (!found) found = fault;
    if (found || each.round() != KeyShare::Round::first) continue;
    const auto promise = committed.find(each.party());
    if (promise != committed.end() && promise->second != rlwe::committed(each)) {
      found = JointFault{each.party(), "first", "it signed another first share than it committed to"};
    } else {
      found = audited(session, each);
    }
  }
  for (const rlwe::Acceptance& each : messages.acceptances) {
    const auto fault = noted(session, each, known, verify);
    if (!found) found = fault;
  }
  if (!found) found = unproved(session, messages.shares);
  return found;
}

}  // namespace cyclotome::value
