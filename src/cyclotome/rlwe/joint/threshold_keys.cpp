// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/threshold_keys.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/rlwe/joint/joint_coins.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"
#include "cyclotome/rlwe/joint/unproved_share.hpp"
#include "cyclotome/rlwe/keys/key_material.hpp"

namespace cyclotome::rlwe {

namespace {

using Round = KeyShare::Round;

/// Draws of the error of a second share: as many as it has terms that hide a secret, so that it tells no more than
/// those would one by one.
constexpr std::uint64_t second_errors = 3;

std::size_t digits_of(const ThresholdSession& session) { return session.parameters().digits(); }

void update(Sha256& hash, std::string_view text) {
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// Where an item of the first round's shares stands: the public key, h_j, k_j, then a key for each Galois element.
struct Places {
  std::size_t relinearization = 1, galois, end;
};

Places places_of(const ThresholdSession& session) {
  const std::size_t digits = digits_of(session);
  const std::size_t galois = 1 + (session.relinearization() ? 2 * digits : 0);
  return {.galois = galois, .end = galois + session.galois_elements().size() * digits};
}

/// A party's half of an encryption of zero under its own secret, or of a switching key: -(a s + e) (+ w_j target).
PolyArray zero_pairs(const SecretKey& secret, std::size_t batch, const PublicSeed& common, const Seed& error,
                     ErrorCheck check = ErrorCheck::none) {
  const Context& context = *secret.context();
  PolyArray pairs = context.make(context.key_ring(), batch, 2, Domain::transform, true);
  fill_zero_encryptions(secret, pairs, common, error, check);
  return pairs;
}

/// Writes a first share's items one after the other.
class FirstShare {
 public:
  FirstShare(const ThresholdSession& session, const SecretKey& secret)
      : session_(session),
        secret_(secret),
        context_(*secret.context()),
        seeds_(session, secret),
        bodies_(context_.make(context_.key_ring(), places_of(session).end, 1, Domain::transform)) {
    append(zero_pairs(secret, 1, common_seed(session, Purpose::joint_public_key),
                      seeds_.derive(Purpose::joint_public_key, 0, Half::error), ErrorCheck::required));
    if (session.relinearization()) append_relinearization();
    for (const std::uint64_t element : session.galois_elements()) append_galois(element);
  }

  PolyArray bodies() && { return std::move(bodies_); }

 private:
  void append(const PolyArray& pairs) {
    context_.engine()->copy(bodies_.view().items(next_, pairs.batch()), pairs.view().part(0));
    next_ += pairs.batch();
  }

  void append_relinearization() {
    constexpr Purpose purpose = Purpose::joint_relinearization_first;
    const SecretKey ephemeral = ephemeral_secret(secret_, seeds_);
    const PublicSeed common = common_seed(session_, purpose);
    const std::size_t digits = digits_of(session_);
    PolyArray hidden = zero_pairs(ephemeral, digits, common, seeds_.derive(purpose, 0, Half::error));
    add_gadget_multiples(context_, hidden.view(), secret_.over_key_ring());
    append(hidden);
    append(zero_pairs(secret_, digits, common, seeds_.derive(purpose, 1, Half::error)));
  }

  void append_galois(std::uint64_t element) {
    constexpr Purpose purpose = Purpose::joint_galois_key;
    PolyArray turned = context_.make(context_.key_ring(), 1, 1, Domain::transform, true);
    turned.lock();
    context_.engine()->automorphism(turned.view(), secret_.over_key_ring(), element);
    PolyArray pairs = zero_pairs(secret_, digits_of(session_), common_seed(session_, purpose, element),
                                 seeds_.derive(purpose, element, Half::error));
    add_gadget_multiples(context_, pairs.view(), turned.view());
    append(pairs);
  }

  const ThresholdSession& session_;
  const SecretKey& secret_;
  const Context& context_;
  PartySeeds seeds_;
  PolyArray bodies_;
  std::size_t next_ = 0;
};

/// The sum of all parties' shares of a round.
PolyArray sum_of(const ThresholdSession& session, const ContextPtr& context, std::span<const KeyShare* const> shares,
                 Round round) {
  const char* const what = round == Round::first ? "first round" : "second round";
  std::vector<std::uint32_t> senders;
  for (const KeyShare* const share : shares) {
    session.require_same("a key share", share->session());
    require_same_context(what, *context, *share->context());
    if (share->round() != round || share->bodies().batch() != share_items(session, round)) {
      throw ArgumentError(message(what, ": the share of party ", share->party(), " is of the other round"));
    }
    if (round == Round::first && share->opened().candidates.size() != session.audit() - 1) {
      throw ArgumentError(message(what, ": the share of party ", share->party(), " opens ",
                                  share->opened().candidates.size(), " candidates, not ", session.audit() - 1,
                                  ", as this session has it"));
    }
    senders.push_back(share->party());
  }
  require_each_once(what, session.parties(), senders);
  PolyArray sum = shares[0]->bodies().clone();
  for (const KeyShare* const share : shares.subspan(1)) {
    context->engine()->add(sum.view(), sum.view(), share->bodies().view());
  }
  return sum;
}

/// Shares by who sent them; their residues stay where they are.
std::map<std::uint32_t, KeyShare> by_party(std::span<const KeyShare* const> shares) {
  std::map<std::uint32_t, KeyShare> map;
  for (const KeyShare* const share : shares) map.emplace(share->party(), *share);
  return map;
}

/// Pairs whose first halves these are, the others from a common seed.
PolyArray pairs_of(const Context& context, ConstView bodies, const PublicSeed& common) {
  PolyArray pairs = context.make(context.key_ring(), bodies.batch, 2, Domain::transform);
  context.engine()->copy(pairs.view().part(0), bodies);
  expand_uniform(*context.engine(), pairs.view().part(1), common);
  return pairs;
}

/// Of what everybody sent, in order of parties, whatever order it arrived in.
Digest digest_of(std::string_view what, const ThresholdSession& session, const Digest& before,
                 std::span<const KeyShare* const> shares) {
  std::map<std::uint32_t, Digest> digests;
  for (const KeyShare* const share : shares) digests.emplace(share->party(), rlwe::digest_of(*share));
  Sha256 hash;
  update(hash, what);
  hash.update(session.digest());
  hash.update(before);
  for (const auto& [party, digest] : digests) hash.update(digest);
  return hash.finish();
}

/// That every share is the one that its sender committed to, and stands on those of all.
Digest checked_commitments(const ThresholdSession& session, std::span<const KeyShare* const> shares,
                           std::span<const Digest> commitments) {
  std::map<std::uint32_t, const KeyShare*> by_party;
  for (const KeyShare* const share : shares) by_party.emplace(share->party(), share);
  std::vector<Digest> sent;
  for (const auto& [party, share] : by_party) {
    sent.push_back(committed(*share));
    if (commitments.empty() || sent.back() == commitments[sent.size() - 1]) continue;
    throw BlameError(message("first round: party ", party,
                             " committed to another first share than it sent; nothing was answered, and the session is "
                             "over: begin a new one, without this party or after asking it why"),
                     {party}, "first", hexadecimal(commitments[sent.size() - 1]) + " " + hexadecimal(sent.back()));
  }
  Digest all = commitments_digest(session, sent);
  const Digest coin = by_party.begin()->second->opened().coin;
  if (session.audit() > 1) all = chosen_digest(all, coin);
  for (const auto& [party, share] : by_party) {
    // Another coin may keep the same candidate, and is not the one that was tossed all the same.
    if (share->basis() == all && share->opened().coin == coin) continue;
    throw MismatchError(message("first round: the share of party ", party,
                                " was sent after other commitments or another coin than these ",
                                "shares', so that somebody sent another share than it committed to, or a relay swapped "
                                "one; begin a new session"));
  }
  return all;
}

}  // namespace

SecretKey ephemeral_secret(const SecretKey& secret, const PartySeeds& seeds) {
  return SecretKey(secret.context(), fit_secret(secret.context(), seeds.derive(Purpose::joint_ephemeral_secret)),
                   secret.id());
}

KeyShare::KeyShare(ContextPtr context, const Digest& session, std::uint32_t party, Round round, const Digest& basis,
                   PolyArray bodies)
    : context_(std::move(context)),
      session_(session),
      party_(party),
      round_(round),
      basis_(basis),
      bodies_(std::move(bodies)) {
  Sha256 hash;
  hash_polynomials(hash, bodies_);
  residues_ = hash.finish();
}

void KeyShare::open(Opened opened) {
  const std::size_t most = round_ == Round::first ? most_candidates - 1 : 0;
  if (opened.candidates.size() > most) {
    throw ArgumentError(message(round_ == Round::first ? "a first" : "a second", " share that opens ",
                                opened.candidates.size(), " candidates; a first one opens fewer than ", most_candidates,
                                ", a second one none"));
  }
  opened_ = std::move(opened);
}

void KeyShare::prove(ShareProof proof) {
  if (round_ == Round::first && !proof.answers.empty()) {
    throw ArgumentError("a first share carries no proof; its second one's shows that of both");
  }
  proof_ = std::move(proof);
}

Digest digest_of(const KeyShare& share) {
  Sha256 hash;
  update(hash, whole_text("cyclotome joint key share 2\nparty ", share.party(), "\nround ",
                          static_cast<unsigned>(share.round()), "\n"));
  hash.update(share.session());
  hash.update(share.basis());
  hash.update(share.residues());
  if (const ShareProof& proof = share.proof(); !proof.answers.empty()) {
    hash.update(proof.challenge);
    hash.update(sha256(proof.answers));
  }
  if (share.opened().candidates.empty()) return hash.finish();
  hash.update(share.opened().coin);
  for (const Opened::Candidate& each : share.opened().candidates) {
    hash.update(each.seed.bytes());
    hash.update(each.hash);
  }
  return hash.finish();
}

Digest digest_of(const Commitment& commitment) {
  Sha256 hash;
  update(hash, whole_text("cyclotome joint signed commitment 2\nparty ", commitment.party(), "\n"));
  hash.update(commitment.session());
  hash.update(commitment.digest());
  return hash.finish();
}

Digest candidate_digest(const Digest& session, std::uint32_t party, std::size_t candidate, const Digest& residues) {
  Sha256 hash;
  update(hash, whole_text("cyclotome joint candidate 2\nparty ", party, "\ncandidate ", candidate, "\n"));
  hash.update(session);
  hash.update(residues);
  return hash.finish();
}

Digest candidates_digest(const Digest& session, std::uint32_t party, std::span<const Digest> hashes) {
  Sha256 hash;
  update(hash, whole_text("cyclotome joint candidates 2\nparty ", party, "\n"));
  hash.update(session);
  for (const Digest& each : hashes) hash.update(each);
  return hash.finish();
}

Digest chosen_digest(const Digest& commitments, const Digest& coin) {
  Sha256 hash;
  update(hash, "cyclotome joint chosen 2\n");
  hash.update(commitments);
  hash.update(coin);
  return hash.finish();
}

Digest committed(const KeyShare& share) {
  if (const Opened& opened = share.opened(); !opened.candidates.empty()) {
    std::vector<Digest> hashes;
    for (const Opened::Candidate& each : opened.candidates) hashes.push_back(each.hash);
    const std::size_t kept = kept_candidate(opened.coin, share.party(), hashes.size() + 1);
    hashes.insert(hashes.begin() + static_cast<std::ptrdiff_t>(kept),
                  candidate_digest(share.session(), share.party(), kept, share.residues()));
    return candidates_digest(share.session(), share.party(), hashes);
  }
  Sha256 hash;
  update(hash, whole_text("cyclotome joint commitment 2\nparty ", share.party(), "\n"));
  hash.update(share.session());
  hash.update(share.residues());
  return hash.finish();
}

Digest commitments_digest(const ThresholdSession& session, std::span<const Digest> commitments) {
  Sha256 hash;
  update(hash, "cyclotome joint commitments 2\n");
  hash.update(session.digest());
  for (const Digest& each : commitments) hash.update(each);
  return hash.finish();
}

std::vector<Digest> ordered(const ThresholdSession& session, std::span<const Commitment* const> commitments) {
  std::map<std::uint32_t, Digest> by_party;
  std::vector<std::uint32_t> senders;
  for (const Commitment* const each : commitments) {
    session.require_same("a commitment", each->session());
    by_party.emplace(each->party(), each->digest());
    senders.push_back(each->party());
  }
  require_each_once("commitments", session.parties(), senders);
  std::vector<Digest> all;
  for (const auto& [party, digest] : by_party) all.push_back(digest);
  return all;
}

Digest transcript(const FirstRound& first, std::span<const KeyShare* const> second) {
  static_cast<void>(first.evaluation_keys(second));
  return digest_of("cyclotome joint transcript 2\n", first.session(), first.digest(), second);
}

std::size_t share_items(const ThresholdSession& session, Round round) {
  return round == Round::first ? places_of(session).end : digits_of(session);
}

FirstRound::FirstRound(ThresholdSession session, ContextPtr context, std::span<const KeyShare* const> shares,
                       std::span<const Digest> commitments)
    : session_(std::move(session)),
      context_(std::move(context)),
      shares_(by_party(shares)),
      sums_(sum_of(session_, context_, shares, Round::first)),
      digest_(digest_of("cyclotome joint first round 2\n", session_, checked_commitments(session_, shares, commitments),
                        shares)) {}

const KeyShare& FirstRound::share_of(std::uint32_t party) const {
  session_.require_party(party);
  return shares_.at(party);
}

ConstView FirstRound::relinearization() const {
  if (!session_.relinearization()) {
    throw ArgumentError("this session makes no relinearisation key, so there is no second round");
  }
  return sums_.view().items(places_of(session_).relinearization, 2 * digits_of(session_));
}

PublicKey FirstRound::public_key() const {
  const PublicSeed common = common_seed(session_, Purpose::joint_public_key);
  return PublicKey(context_, pairs_of(*context_, sums_.view().items(0, 1), common), common, key());
}

EvaluationKeys FirstRound::evaluation_keys(std::span<const KeyShare* const> second) const {
  std::optional<SwitchingKey> relinearization_made;
  if (session_.relinearization()) {
    for (const KeyShare* const share : second) {
      session_.require_same("a key share", share->session());
      if (share->round() == Round::second && share->basis() != digest_) {
        throw MismatchError(message("the second share of party ", share->party(),
                                    " answers other first shares than these: all parties must have the same ones"));
      }
    }
    const PolyArray sum = sum_of(session_, context_, second, Round::second);
    const PublicSeed common = answer_seed(session_, digest_);
    relinearization_made.emplace(pairs_of(*context_, sum.view(), common), common);
  } else if (!second.empty()) {
    throw ArgumentError("this session makes no relinearisation key, so there is no second round");
  }
  std::map<std::uint64_t, SwitchingKey> galois;
  std::size_t place = places_of(session_).galois;
  for (const std::uint64_t element : session_.galois_elements()) {
    const PublicSeed common = common_seed(session_, Purpose::joint_galois_key, element);
    const ConstView bodies = sums_.view().items(place, digits_of(session_));
    galois.emplace(element, SwitchingKey(pairs_of(*context_, bodies, common), common));
    place += digits_of(session_);
  }
  return EvaluationKeys(context_, std::move(relinearization_made), std::move(galois), key());
}

SecretKey party_key(const ThresholdSession& session, const ContextPtr& context, std::uint32_t party, const Seed& seed) {
  const KeyId id = session.party_key(party);
  if (context->parameters().fingerprint() != session.parameters().fingerprint()) {
    throw MismatchError(message("a party's key for a session of ", session.parameters().summary(),
                                " can't be made for ", context->parameters().summary()));
  }
  const Seed own = derive_seed(seed, session.parameters(), {.purpose = Purpose::secret_key, .key = id});
  return SecretKey(context, fit_secret(context, own), id);
}

KeyShare first_share(const ThresholdSession& session, std::uint32_t party, const SecretKey& secret,
                     const Digest& commitments) {
  session.require_own(secret, party);
  return KeyShare(secret.context(), session.digest(), party, Round::first, commitments,
                  FirstShare(session, secret).bodies());
}

KeyShare unproved_share(const FirstRound& first, std::uint32_t party, const SecretKey& secret) {
  const ThresholdSession& session = first.session();
  session.require_own(secret, party);
  require_same_context("second round", *first.context(), *secret.context());
  const Context& context = *secret.context();
  Engine& engine = *context.engine();
  constexpr Purpose purpose = Purpose::joint_relinearization_second;
  const std::size_t digits = digits_of(session);
  const ConstView sums = first.relinearization();
  const PartySeeds seeds(session, secret), errors = seeds.answering(first.digest());
  const SecretKey ephemeral = ephemeral_secret(secret, seeds);
  PolyArray common = context.make(context.key_ring(), digits, 1, Domain::transform);
  expand_uniform(engine, common.view(), answer_seed(session, first.digest()));
  engine.subtract(common.view(), sums.items(0, digits), common.view());  // h_j - a_j
  // The errors' signs do not matter.
  PolyArray body = context.make(context.key_ring(), digits, 1, Domain::transform, true);
  engine.multiply(body.view(), sums.items(digits, digits), ephemeral.over_key_ring());
  engine.negate(body.view(), body.view());
  engine.multiply_accumulate(body.view(), common.view(), secret.over_key_ring());
  for (std::uint64_t i = 0; i < second_errors; ++i) {
    const PolyArray error = key_errors(context, digits, errors.derive(purpose, i, Half::error));
    engine.add(body.view(), body.view(), error.view());
  }
  return KeyShare(secret.context(), session.digest(), party, Round::second, first.digest(), std::move(body));
}

}  // namespace cyclotome::rlwe
