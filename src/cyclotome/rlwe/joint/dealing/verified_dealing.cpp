// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/dealing/verified_dealing.hpp"

#include <algorithm>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/joint/dealing/rows.hpp"

namespace cyclotome::rlwe {

namespace {

/// Deals these polynomials.
Dealt dealt(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const ContextPtr& context,
            const std::optional<ConstView>& constant, std::span<const ReceivingKeys> keys) {
  const DealingPolynomials polynomials(context, round.session().threshold(), constant);
  const DealerVoice voice{[&](std::uint32_t party) { return polynomials.packed_at(party); },
                          [&](const PublicSeed& challenge) { return polynomials.functionals(challenge); }};
  return deal_voiced(round, dealer, identity, voice, keys);
}

void require_what(const DealingRound& round, DealtSecret what) {
  if (round.what() != what) throw ArgumentError("this round deals something else");
}

void require_signed(const DealingRound& round, const Dealing& dealing) {
  require_round(round, dealing.round, "the dealing", dealing.dealer);
  round.require_dealer(dealing.dealer);
  if (is_signed(round, dealing)) return;
  throw MismatchError(message("the dealing was not signed by party ", dealing.dealer,
                              ": it was altered on its way, or is somebody else's; ask for it again"));
}

/// What an opened share shows: itself, or what is wrong with it.
struct Opened {
  std::optional<PolyArray> share;
  std::string fault;
};

Opened opened_share(const DealingRound& round, const ContextPtr& context, const Dealing& dealing,
                    const SealedShare& sealed, const Identity& key) {
  ZeroisingVector<std::uint8_t> text;
  try {
    text = key.open(sealing_context(round, dealing.dealer, sealed.receiver), sealed.bytes);
  } catch (const ArgumentError&) {
    return {std::nullopt, "what it sealed does not open"};
  }
  auto checked = checked_share(context, round.session().threshold(), text, sealed.receiver,
                               challenge_of(round, dealing), dealing.values);
  if (!checked) return {std::nullopt, "what it sealed is no share of the polynomial that it dealt"};
  return {std::move(checked), {}};
}

/// What shows without any key.
std::string fault_of(const DealingRound& round, const ContextPtr& context, const Dealing& dealing) {
  const std::vector<std::uint32_t>& parties = round.session().parties();
  if (dealing.keys.size() != parties.size() || dealing.sealed.size() != parties.size()) {
    return "it dealt to another number of parties";
  }
  for (std::size_t i = 0; i < parties.size(); ++i) {
    if (!is_signed(round, parties[i], dealing.dealer, dealing.keys[i])) {
      return message("it sealed for a key that party ", parties[i], " did not issue");
    }
  }
  const auto zero = round.what() == DealtSecret::zero ? Constant::zero : Constant::any;
  return functionals_fault(*context, round.session().threshold(), zero, dealing.values);
}

}  // namespace

Dealt deal_own(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const SecretKey& secret,
               std::span<const ReceivingKeys> keys) {
  require_what(round, DealtSecret::own);
  round.session().require_own(secret, dealer);
  return dealt(round, dealer, identity, secret.context(), secret.at_level(secret.context()->max_level()), keys);
}

Dealt deal_zero(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const ContextPtr& context,
                std::span<const ReceivingKeys> keys) {
  require_what(round, DealtSecret::zero);
  return dealt(round, dealer, identity, context, std::nullopt, keys);
}

Dealt deal_share(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const SecretShare& share,
                 std::span<const ReceivingKeys> keys) {
  require_what(round, DealtSecret::share);
  round.require_dealer(dealer);
  round.session().require_same("a share of the joint secret", share.session());
  if (!share.is_sum() || share.to() != dealer || share.epoch() + 1 != round.epoch()) {
    throw ArgumentError(message("party ", dealer, " deals its own share of epoch ", round.epoch() - 1));
  }
  const Context& context = *share.context();
  PolyArray scaled = context.make(context.ciphertext_ring(), 1, 1, Domain::transform, true);
  context.engine()->multiply_scalars(
      scaled.view(), share.share().view(),
      lagrange_coefficients(context.ciphertext_ring()->basis().values(), round.dealers(), dealer));
  return dealt(round, dealer, identity, share.context(), std::as_const(scaled).view(), keys);
}

std::string public_fault(const DealingRound& round, const ContextPtr& context, const Dealing& dealing) {
  require_signed(round, dealing);
  return fault_of(round, context, dealing);
}

Verdict judge(const DealingRound& round, const ContextPtr& context, const Complaint& complaint) {
  const Dealing& dealing = complaint.dealing;
  require_signed(round, dealing);
  const std::uint32_t accuser = complaint.accuser;
  if (!is_signed(round, complaint)) {
    throw MismatchError(message("party ", accuser, " did not sign this complaint"));
  }
  if (std::string fault = fault_of(round, context, dealing); !fault.empty()) return {dealing.dealer, std::move(fault)};
  const std::size_t place = place_of(round.session().parties(), accuser);
  const SealedShare& sealed = complaint.sealed;
  if (sealed.receiver != accuser || sealed.dealer != dealing.dealer || sha256(sealed.bytes) != dealing.sealed[place]) {
    return {accuser, "it complains of another message than the one that the dealer named"};
  }
  const Identity key{Seed(complaint.key)};
  if (!(key.public_identity() == dealing.keys[place].key)) {
    return {accuser, "it published another key than the one that it issued"};
  }
  Opened opened = opened_share(round, context, dealing, sealed, key);
  if (opened.share) return {accuser, "it complains of a share that is right"};
  return {dealing.dealer, std::move(opened.fault)};
}

Received receive_dealt(const DealingRound& round, const ContextPtr& context, std::uint32_t party,
                       const Identity& identity, std::span<const Dealing> dealings,
                       std::span<const SealedShare> sealed) {
  require_identity(round, party, identity);
  std::vector<std::uint32_t> dealers, senders;
  for (const Dealing& dealing : dealings) dealers.push_back(dealing.dealer);
  for (const SealedShare& share : sealed) senders.push_back(share.dealer);
  require_each_once("dealings", round.dealers(), dealers);
  require_each_once("sealed shares", round.dealers(), senders);
  const std::size_t place = place_of(round.session().parties(), party);
  PolyArray sum = context->make(context->ciphertext_ring(), 1, 1, Domain::transform, true);
  context->engine()->clear(sum.view());
  Received received;
  for (const Dealing& dealing : dealings) {
    const SealedShare& own = *std::ranges::find(sealed, dealing.dealer, &SealedShare::dealer);
    require_signed(round, dealing);
    require_round(round, own.round, "the sealed share", own.dealer);
    const bool wrong_in_public = !fault_of(round, context, dealing).empty();
    if (!wrong_in_public && (own.receiver != party || sha256(own.bytes) != dealing.sealed[place])) {
      throw MismatchError(message("the sealed share is not the one that party ", dealing.dealer,
                                  " says it sent to party ", party, ": ask for it again"));
    }
    const Identity key = receiving_identity(round, dealing.dealer, identity);
    Opened opened;
    if (!wrong_in_public) opened = opened_share(round, context, dealing, own, key);
    if (opened.share) {
      context->engine()->add(sum.view(), sum.view(), opened.share->view());
      continue;
    }
    Complaint complaint{party, dealing, own, key.seed().bytes(), {}};
    sign(round, identity, complaint);
    received.complaints.push_back(std::move(complaint));
  }
  if (received.complaints.empty()) {
    received.share.emplace(context, round.session().digest(), 0, party, std::move(sum), round.epoch());
  }
  return received;
}

SecretShare refreshed(const DealingRound& round, const SecretShare& share, const SecretShare& zero) {
  require_what(round, DealtSecret::zero);
  round.session().require_same("a share of the joint secret", share.session());
  round.session().require_same("what refreshes it", zero.session());
  require_same_context("refreshed", *share.context(), *zero.context());
  if (!share.is_sum() || !zero.is_sum() || share.to() != zero.to() || zero.epoch() != round.epoch() ||
      share.epoch() + 1 != round.epoch()) {
    throw ArgumentError(message("a share of epoch ", share.epoch(), " of party ", share.to(),
                                " and a refreshing of epoch ", zero.epoch(), " of party ", zero.to(),
                                " don't add up to one of epoch ", round.epoch()));
  }
  const Context& context = *share.context();
  PolyArray sum = context.make(context.ciphertext_ring(), 1, 1, Domain::transform, true);
  context.engine()->add(sum.view(), share.share().view(), zero.share().view());
  return SecretShare(share.context(), share.session(), 0, share.to(), std::move(sum), round.epoch());
}

}  // namespace cyclotome::rlwe
