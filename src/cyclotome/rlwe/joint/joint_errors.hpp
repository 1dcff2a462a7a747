// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cyclotome/math/errors.hpp"

// What goes wrong between the parties of a joint key, and nowhere else.
namespace [[gnu::visibility("default")]] cyclotome {

/// A party was asked to answer a second, other first round of its session. It answers one; a new session is cheap.
class RepeatedAnswerError : public Error {
 public:
  using Error::Error;
};

/// A message that no party that follows the protocol sends: whose it is, and what shows that.
class BlameError : public Error {
 public:
  /// parties: who are to blame, ascending. stage: "toss", "commit", "coin", "first", "second". evidence: digests that
  /// contradict each other, in lower-case hexadecimal; of an audit the candidate's number and seed, too.
  BlameError(const std::string& what, std::vector<std::uint32_t> parties, std::string stage, std::string evidence)
      : Error(what), parties_(std::move(parties)), stage_(std::move(stage)), evidence_(std::move(evidence)) {}

  /// Who are to blame, ascending.
  const std::vector<std::uint32_t>& parties() const noexcept { return parties_; }
  /// Of which stage the message is.
  const std::string& stage() const noexcept { return stage_; }
  /// What shows it.
  const std::string& evidence() const noexcept { return evidence_; }

 private:
  std::vector<std::uint32_t> parties_;
  std::string stage_, evidence_;
};

}  // namespace cyclotome
