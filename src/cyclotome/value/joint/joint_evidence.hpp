// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cyclotome/value/joint/joint_party.hpp"

namespace cyclotome::value {

/// A party that does not follow the protocol, as its signed messages show to anybody.
struct JointFault {
  std::uint32_t party = 0;  ///< who
  std::string stage;        ///< "toss", "commit", "coin", "first", "second" or "accept"
  std::string reason;       ///< in words
};

/// What messages of a session show, without a key: two of one party and stage that differ, a coin that is not the one
/// that its sender tossed, a first share that is not the one that it committed to, or that opens a candidate which its
/// seed does not give, or, beside the first shares of all, a second one that is not proved by what it carries. None:
/// nothing that shows. `verify`: as of JointVoice. Throws MismatchError for messages of another session, or that their
/// sender has not signed: those show nothing.
std::optional<JointFault> fault_in(const rlwe::ThresholdSession& session, const JointMessages& messages,
                                   const decltype(JointVoice::verify)& verify);

}  // namespace cyclotome::value
