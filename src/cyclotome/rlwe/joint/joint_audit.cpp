// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/joint_audit.hpp"

#include <string>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/rlwe/joint/joint_coins.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"

namespace cyclotome::rlwe {

namespace {

/// The hash of the candidate of this seed, whoever's it is.
Digest drawn(const ThresholdSession& session, const ContextPtr& context, std::uint32_t party, std::size_t candidate,
             const Seed& seed) {
  const KeyShare share = first_share(session, party, party_key(session, context, party, seed), Digest{});
  return candidate_digest(session.digest(), party, candidate, share.residues());
}

}  // namespace

Digest coin_part(const ThresholdSession& session, const Seed& party) {
  return labelled_seed(party, "cyclotome joint coin", session.digest()).bytes();
}

Seed candidate_seed(const ThresholdSession& session, const Seed& party, const Digest& tosses, std::size_t candidate) {
  return labelled_seed(party, whole_text("cyclotome joint candidate ", candidate, " ", hexadecimal(session.digest())),
                       tosses);
}

std::vector<Digest> candidate_digests(const ThresholdSession& session, const ContextPtr& context, std::uint32_t party,
                                      const Seed& seed, const Digest& tosses) {
  std::vector<Digest> digests;
  for (std::size_t i = 0; i < session.audit(); ++i) {
    digests.push_back(drawn(session, context, party, i, candidate_seed(session, seed, tosses, i)));
  }
  return digests;
}

Opened opened_candidates(const ThresholdSession& session, std::uint32_t party, const Seed& seed, const Digest& tosses,
                         const Digest& coin, std::span<const Digest> hashes) {
  Opened opened{.coin = coin, .candidates = {}};
  const std::size_t kept = kept_candidate(coin, party, session.audit());
  for (std::size_t i = 0; i < session.audit(); ++i) {
    if (i == kept) continue;
    opened.candidates.push_back({PublicSeed::publish(candidate_seed(session, seed, tosses, i)), hashes[i]});
  }
  return opened;
}

void audit(const ThresholdSession& session, const ContextPtr& context, std::span<const KeyShare* const> first,
           std::uint32_t own) {
  for (const KeyShare* const share : first) {
    const std::uint32_t party = share->party();
    if (party == own) continue;
    const Opened& opened = share->opened();
    const std::size_t kept = kept_candidate(opened.coin, party, session.audit());
    for (std::size_t i = 0; i < opened.candidates.size(); ++i) {
      const Opened::Candidate& each = opened.candidates[i];
      const std::size_t candidate = i < kept ? i : i + 1;
      const Digest found = drawn(session, context, party, candidate, each.seed.to_draw_with());
      if (found == each.hash) continue;
      throw BlameError(message("first round: candidate ", candidate, " of party ", party,
                               " is not what its seed gives, so that this party does not draw its shares as everybody "
                               "has to; nothing was answered, and the session is over: begin a new one without it"),
                       {party}, "first",
                       message("candidate ", candidate, " ", hexadecimal(each.seed.bytes()), " ",
                               hexadecimal(each.hash), " ", hexadecimal(found)));
    }
  }
}

}  // namespace cyclotome::rlwe
