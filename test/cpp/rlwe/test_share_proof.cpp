// SPDX-License-Identifier: Apache-2.0
// Proofs of second shares: honest ones hold in every ring, word and scheme; what a party adds to what it sends can be
// proved while it is small and not beyond the slack; and who sends it is named.

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"
#include "cyclotome/rlwe/joint/share_proof.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/value/joint/joint_keys.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;
using rlwe::Acceptance;
using rlwe::Commitment;
using rlwe::KeyShare;
using rlwe::ShareProof;
using rlwe::ThresholdSession;
using value::JointParty;

struct Set {
  const rlwe::Scheme* scheme;
  Word word;
  std::size_t cyclotomic;  // 0: x^16 + 1
};

const std::vector<Set>& sets() {
  static const std::vector<Set> all = {{&bfv::scheme(), Word::u32, 0},  {&bfv::scheme(), Word::u64, 0},
                                       {&bgv::scheme(), Word::u32, 0},  {&bgv::scheme(), Word::u64, 0},
                                       {&bfv::scheme(), Word::u64, 21}, {&bgv::scheme(), Word::u32, 105}};
  return all;
}

rlwe::ContextPtr context_of(const Set& set) {
  const unsigned bits = set.word == Word::u64 ? 50 : 29;
  rlwe::ParametersLiteral literal = io_objects::small_literal(16, set.word, bits, 3, 2, {97}, set.scheme);
  if (set.cyclotomic != 0) {
    const std::uint64_t step = RingShape::cyclotomic(set.cyclotomic)->transform_step();
    literal.degree = 0;
    literal.cyclotomic = set.cyclotomic;
    literal.plain_moduli = primes_congruent_to_one(18, step, 1);
    literal.moduli = primes_congruent_to_one(bits, step, 5);
    literal.special_moduli = {literal.moduli[3], literal.moduli[4]};
    literal.moduli.resize(3);
  }
  literal.parties = 2;
  return scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(1));
}

/// A session of two parties and all of their messages.
struct Played {
  rlwe::ContextPtr context;
  ThresholdSession session;
  std::vector<JointParty> parties;
  std::vector<KeyShare> first, second;

  explicit Played(const Set& set)
      : context(context_of(set)),
        session(ThresholdSession::create(context->parameters(),
                                         {.parties = {1, 2}, .threshold = 2, .galois_elements = {}, .audit = 1})) {
    std::vector<Commitment> commitments;
    for (const std::uint32_t number : session.parties()) parties.emplace_back(session, context, number);
    for (JointParty& party : parties) commitments.push_back(party.commit());
    for (JointParty& party : parties) first.push_back(party.first_share(commitments));
    for (JointParty& party : parties) second.push_back(party.second_share(first));
  }

  rlwe::FirstRound sums() const {
    const KeyShare* const all[] = {&first[0], &first[1]};
    return {session, context, all};
  }
  KeyShare share(std::uint32_t party, KeyShare::Round round, const Digest& basis, PolyArray bodies) const {
    return {context, session.digest(), party, round, basis, std::move(bodies)};
  }
};

/// The same share with `by` times a power of two added to every residue of its first polynomial.
KeyShare raised(const Played& played, const KeyShare& share, std::uint64_t by, unsigned bits) {
  PolyArray bodies = share.bodies().clone();
  std::vector<std::uint64_t> residues = bodies.to_host();
  std::size_t place = 0;
  for (const std::uint64_t q : bodies.ring()->basis().values()) {
    std::uint64_t added = by % q;
    for (unsigned i = 0; i < bits; ++i) added = added * 2 % q;
    for (std::size_t i = 0; i < bodies.degree(); ++i, ++place) residues[place] = (residues[place] + added) % q;
  }
  bodies.from_host(residues);
  KeyShare other = played.share(share.party(), share.round(), share.basis(), std::move(bodies));
  other.prove(share.proof());
  return other;
}

/// The same with another proof.
KeyShare with_proof(KeyShare share, const ShareProof& proof) {
  share.prove(proof);
  return share;
}

/// The proof that party 2's own secrets allow of what it sends.
ShareProof best_proof(const Played& played, const KeyShare& share) {
  const rlwe::FirstRound sums = played.sums();
  const rlwe::SecretKey& secret = played.parties[1].secret();
  const rlwe::PartySeeds seeds(played.session, secret);
  return rlwe::prove_share(sums, share, secret, rlwe::ephemeral_secret(secret, seeds), seeds.answering(sums.digest()));
}

TEST(honest_shares_are_proved_and_no_others) {
  for (const Set& set : sets()) {
    const Played played(set);
    const rlwe::FirstRound sums = played.sums();
    const KeyShare &one = played.second[0], &two = played.second[1];
    CHECK(rlwe::is_proved(sums, one) && rlwe::is_proved(sums, two));
    CHECK(best_proof(played, two).answers == two.proof().answers);  // always the same
    CHECK_EQ(one.proof().answers.size(), rlwe::ProofShape(played.session).answer_bytes());
    CHECK(!rlwe::is_proved(sums, raised(played, one, 97, 0)));
    CHECK(!rlwe::is_proved(sums, with_proof(one, two.proof())));
    const ShareProof& right = one.proof();
    for (std::size_t i = 0; i < 40; ++i) {
      ShareProof wrong = right;
      std::uint8_t& changed = wrong.answers[i * 7919 % wrong.answers.size()];
      changed = static_cast<std::uint8_t>(changed ^ 1 << i % 8);
      CHECK(!rlwe::is_proved(sums, with_proof(one, wrong)));
    }
    for (const std::size_t length : {right.answers.size() - 1, right.answers.size() + 1, std::size_t{0}}) {
      ShareProof wrong = right;
      wrong.answers.resize(length);
      CHECK(!rlwe::is_proved(sums, with_proof(one, wrong)));
    }
    CHECK_THROWS_WITH(ArgumentError, with_proof(played.first[0], right), "carries no proof");
  }
}

TEST(what_is_added_is_proved_only_within_the_slack) {
  for (const Set& set : sets()) {
    const Played played(set);
    const rlwe::ProofShape shape(played.session);
    const std::uint64_t multiple = played.context->error_multiples(rlwe::PlainIndex(0)).of_keys;
    const KeyShare little = raised(played, played.second[1], multiple, 3);
    CHECK(rlwe::is_proved(played.sums(), with_proof(little, best_proof(played, little))));
    const auto beyond = static_cast<unsigned>(shape.log2_slack()) + 6;
    CHECK_THROWS_WITH(EngineError, best_proof(played, raised(played, played.second[1], multiple, beyond)), "none of");
    // In BGV, too, what is no multiple of t.
    if (multiple == 1) continue;
    CHECK_THROWS_WITH(EngineError, best_proof(played, raised(played, played.second[1], 1, 0)), "none of");
  }
}

TEST(a_malformed_first_share_can_not_be_proved_by_its_second) {
  // What an audit of one candidate, or the coin, lets pass: the public key, h_0 or k_0 with something else in it.
  for (const Set& set : sets()) {
    const Played honest(set);
    const std::size_t digits = honest.session.parameters().digits();
    for (const std::size_t item : {std::size_t{0}, std::size_t{1}, 1 + digits}) {
      Played played = honest;
      PolyArray bodies = honest.first[1].bodies().clone();
      std::vector<std::uint64_t> residues = bodies.to_host();
      const std::size_t one = residues.size() / bodies.batch();
      // Every second residue of a transform less 1: an error that is nowhere small.
      for (std::size_t i = item * one; i < (item + 1) * one; i += 2) {
        residues[i] = residues[i] == 0 ? 1 : residues[i] - 1;
      }
      bodies.from_host(residues);
      const KeyShare malformed = honest.share(2, KeyShare::Round::first, {}, std::move(bodies));
      const std::vector<Digest> hashes = {rlwe::committed(honest.first[0]), rlwe::committed(malformed)};
      const Digest all = rlwe::commitments_digest(honest.session, hashes);
      played.first = {honest.share(1, KeyShare::Round::first, all, honest.first[0].bodies().clone()),
                      honest.share(2, KeyShare::Round::first, all, malformed.bodies().clone())};
      const KeyShare second = rlwe::unproved_share(played.sums(), 2, honest.parties[1].secret());
      CHECK_THROWS_WITH(EngineError, best_proof(played, second), "none of");
    }
  }
}

TEST(keys_are_accepted_by_all_or_by_nobody) {
  Played played(sets()[1]);
  JointParty &ada = played.parties[0], &ben = played.parties[1];
  std::vector<KeyShare> wrong = {played.second[0], raised(played, played.second[1], 1, 60)};
  CHECK_THROWS_WITH(BlameError, ada.accept(played.first, wrong), "is not proved");
  CHECK_THROWS_WITH(BlameError, value::combine(played.session, played.context, played.first, wrong), "is not proved");
  wrong[1].prove({});
  CHECK_THROWS_WITH(BlameError, ada.accept(played.first, wrong), "carries no proof");
  CHECK_THROWS_WITH(ArgumentError, ada.seal(std::vector<Acceptance>{}), "has not accepted");
  const std::vector<Acceptance> words = {ada.accept(played.first, played.second),
                                         ben.accept(played.first, played.second)};
  CHECK(words[0].seen() == words[1].seen());
  CHECK_THROWS_WITH(ArgumentError, ada.seal(std::span(words).first(1)), "nothing of party 2");
  const Acceptance liar(played.session.parameters(), played.session.digest(), 2, Digest{1});
  CHECK_THROWS_WITH(MismatchError, ada.seal(std::vector<Acceptance>{words[0], liar}), "party 2 accepts a key of other");
  CHECK(!ada.accepted());
  ada.seal(words);
  CHECK(ada.accepted() && !ben.accepted());
  // Another second share of the same party, with its proof: what was accepted stays.
  KeyShare twin = raised(played, played.second[1], 1, 2);
  twin.prove(best_proof(played, twin));
  CHECK_THROWS(RepeatedAnswerError, ada.accept(played.first, std::vector<KeyShare>{played.second[0], twin}));
}

}  // namespace

int main() { return check::run(); }
