// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/rlwe/joint/threshold_session.hpp"

namespace cyclotome::rlwe {

/// One party's last message: that it has checked all that made the joint key, and which messages those were. With one
/// of each party the key is accepted, and all have seen the same.
class Acceptance {
 public:
  /// seen: the transcript, a hash of all messages before.
  Acceptance(Parameters parameters, const Digest& session, std::uint32_t party, const Digest& seen)
      : parameters_(std::move(parameters)), session_(session), party_(party), seen_(seen) {}
  Acceptance(const Acceptance&) = default;  // and no move: math/moved.hpp
  Acceptance& operator=(const Acceptance&) = default;

  const Parameters& parameters() const noexcept { return parameters_; }
  /// Of the session that it belongs to: ThresholdSession::digest.
  const Digest& session() const noexcept { return session_; }
  /// Who sent it.
  std::uint32_t party() const noexcept { return party_; }
  /// The transcript of what it saw.
  const Digest& seen() const noexcept { return seen_; }
  /// Its sender's, of `digest_of`; empty where parties don't sign.
  const std::vector<std::uint8_t>& signature() const noexcept { return signature_; }
  /// Takes that signature.
  void attach(std::vector<std::uint8_t> signature) { signature_ = std::move(signature); }

 private:
  Parameters parameters_;
  Digest session_;
  std::uint32_t party_;
  Digest seen_;
  std::vector<std::uint8_t> signature_;
};

/// SHA-256 of an acceptance: session, party and what it saw.
Digest digest_of(const Acceptance& acceptance);
/// Throws unless every party accepts what `seen` names: ArgumentError if one is missing or repeated, MismatchError for
/// another session, and for one of who saw something else, whom it names: somebody sent different messages to different
/// parties, or a relay did.
void require_accepted(const ThresholdSession& session, const Digest& seen, std::span<const Acceptance* const> all);

}  // namespace cyclotome::rlwe
