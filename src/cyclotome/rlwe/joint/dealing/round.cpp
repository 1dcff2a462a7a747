// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/dealing/round.hpp"

#include <algorithm>
#include <string_view>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

namespace {

using Span = std::span<const std::uint8_t>;
using Bytes = std::vector<std::uint8_t>;

/// Files have 16 bits for it.
constexpr std::uint32_t most_epochs = 0xffff;

void append(Bytes& bytes, Span more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

void append(Bytes& bytes, std::uint64_t number, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

Bytes text_of(std::string_view text) { return {text.begin(), text.end()}; }

Digest digest_of_round(const ThresholdSession& session, const DealingRound::Facts& facts,
                       const Identities& identities) {
  Bytes text = text_of("cyclotome dealing 1\n");
  append(text, session.digest());
  append(text, static_cast<std::uint64_t>(facts.what), 4);
  append(text, facts.epoch, 4);
  append(text, facts.dealers.size(), 4);
  for (const std::uint32_t dealer : facts.dealers) append(text, dealer, 4);
  for (const auto& [party, identity] : identities) append(text, identity.bytes());
  return sha256(text);
}

void require_facts(const ThresholdSession& session, const DealingRound::Facts& facts, const Identities& identities) {
  if (!session.shares_secrets()) {
    throw ArgumentError(message("all ", session.parties().size(),
                                " parties of this session decrypt together, so secrets are not dealt; make it with a "
                                "smaller threshold"));
  }
  const bool same = std::ranges::equal(identities, session.parties(), {}, [](const auto& each) { return each.first; });
  if (!same) throw ArgumentError("a round of dealing takes the identity of every party of its session, and no others");
  for (const std::uint32_t dealer : facts.dealers) session.require_party(dealer);
  if (std::ranges::adjacent_find(facts.dealers, std::greater_equal<>()) != facts.dealers.end()) {
    throw ArgumentError("dealers must be different and in ascending order");
  }
  const bool own = facts.what == DealtSecret::own;
  if (own ? facts.dealers != session.parties() : facts.dealers.size() < session.threshold()) {
    throw ArgumentError(message(facts.dealers.size(), " parties deal; it takes ", own ? "all " : "at least ",
                                own ? session.parties().size() : session.threshold()));
  }
  if (own != (facts.epoch == 0) || facts.epoch > most_epochs) {
    throw ArgumentError(message("epoch ", facts.epoch,
                                " of shares: it is 0 of those that parties' secrets give, and 1 ",
                                "more with each round after it, up to ", most_epochs));
  }
}

}  // namespace

DealingRound::DealingRound(ThresholdSession session, Facts facts, Identities identities)
    : session_(std::move(session)), facts_(std::move(facts)), identities_(std::move(identities)) {
  require_facts(session_, facts_, identities_);
  digest_ = digest_of_round(session_, facts_, identities_);
}

const PublicIdentity& DealingRound::identity(std::uint32_t party) const {
  session_.require_party(party);
  return identities_.at(party);
}

void DealingRound::require_dealer(std::uint32_t party) const {
  if (std::ranges::binary_search(facts_.dealers, party)) return;
  throw ArgumentError(message("party ", party, " deals nothing in this round"));
}

}  // namespace cyclotome::rlwe
