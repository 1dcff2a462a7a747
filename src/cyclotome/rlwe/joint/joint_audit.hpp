// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cyclotome/rlwe/joint/threshold_keys.hpp"

// Candidates of a first share, and that those which were opened are what everybody draws from their seeds. This header
// is not installed.
namespace cyclotome::rlwe {

/// A party's part of the coin: of its seed and the session.
Digest coin_part(const ThresholdSession& session, const Seed& party);
/// The seed of a candidate. It is drawn for what all have tossed, and so for the one coin that can come of that: asked
/// after other tosses, as after its file was copied back, a party has other candidates, and opens none that it ever
/// kept.
Seed candidate_seed(const ThresholdSession& session, const Seed& party, const Digest& tosses, std::size_t candidate);
/// The hashes of all of a party's candidates.
std::vector<Digest> candidate_digests(const ThresholdSession& session, const ContextPtr& context, std::uint32_t party,
                                      const Seed& seed, const Digest& tosses);
/// All but the kept one. hashes: of all.
Opened opened_candidates(const ThresholdSession& session, std::uint32_t party, const Seed& seed, const Digest& tosses,
                         const Digest& coin, std::span<const Digest> hashes);
/// Draws what other parties opened again. Throws BlameError, which names the first whose candidate is another one than
/// it committed to. own: whose share is not looked at; 0 for nobody.
void audit(const ThresholdSession& session, const ContextPtr& context, std::span<const KeyShare* const> first,
           std::uint32_t own = 0);

}  // namespace cyclotome::rlwe
