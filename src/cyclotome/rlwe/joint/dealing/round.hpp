// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "cyclotome/rlwe/joint/identity.hpp"
#include "cyclotome/rlwe/joint/threshold_session.hpp"

// Who deals what to whom: what all parties of a dealing (verified_dealing.hpp) agree on.
namespace cyclotome::rlwe {

/// What is dealt.
enum class DealtSecret : std::uint8_t {
  own = 1,   ///< each party's own secret, all of which add up to the joint one
  zero = 2,  ///< nothing: sums of these refresh shares, so that those of different epochs don't combine
  share = 3  ///< shares of the joint secret themselves, for a party that was lost
};

/// Parties by number.
using Identities = std::map<std::uint32_t, PublicIdentity>;

/// Who deals what in which session; everybody must have the same, `digest`. Immutable.
class DealingRound {
 public:
  /// What a round is.
  struct Facts {
    DealtSecret what = DealtSecret::own;  ///< which secret
    std::uint32_t epoch = 0;              ///< of the shares that come of it: 0 of `own`, counted up by each later round
    std::vector<std::uint32_t> dealers;   ///< ascending; all parties, or t at least once there are shares
  };
  /// Throws ArgumentError for a session in which all decrypt, facts that can't be, or identities that are not one of
  /// each party.
  DealingRound(ThresholdSession session, Facts facts, Identities identities);

  /// Whose secrets are dealt.
  const ThresholdSession& session() const noexcept { return session_; }
  /// Which secret.
  DealtSecret what() const noexcept { return facts_.what; }
  /// Of the shares that come of it.
  std::uint32_t epoch() const noexcept { return facts_.epoch; }
  /// Who deals, ascending.
  const std::vector<std::uint32_t>& dealers() const noexcept { return facts_.dealers; }
  /// A party's. Throws ArgumentError for who takes no part.
  const PublicIdentity& identity(std::uint32_t party) const;
  /// SHA-256 of all of this.
  const Digest& digest() const noexcept { return digest_; }
  /// Throws ArgumentError unless this party deals.
  void require_dealer(std::uint32_t party) const;

 private:
  ThresholdSession session_;
  Facts facts_;
  Identities identities_;
  Digest digest_;
};

}  // namespace cyclotome::rlwe
