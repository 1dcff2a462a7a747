// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/joint_evidence.hpp"

#include <map>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

using rlwe::KeyShare;

std::string stage_of(const rlwe::Commitment&) { return "commit"; }
std::string stage_of(const KeyShare& share) { return share.round() == KeyShare::Round::first ? "first" : "second"; }

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

}  // namespace

std::optional<JointFault> fault_in(const rlwe::ThresholdSession& session, const JointMessages& messages,
                                   const decltype(JointVoice::verify)& verify) {
  Signed known;
  std::optional<JointFault> found;
  std::map<std::uint32_t, Digest> committed;
  for (const rlwe::Commitment& each : messages.commitments) {
    const auto fault = noted(session, each, known, verify);
    if (!found) found = fault;
    committed.emplace(each.party(), each.digest());
  }
  for (const KeyShare& each : messages.shares) {
    const auto fault = noted(session, each, known, verify);
    if (!found) found = fault;
    const auto promise = committed.find(each.party());
    if (found || each.round() != KeyShare::Round::first || promise == committed.end()) continue;
    if (promise->second == rlwe::committed(each)) continue;
    found = JointFault{each.party(), "first", "it signed another first share than it committed to"};
  }
  return found;
}

}  // namespace cyclotome::value
