// SPDX-License-Identifier: Apache-2.0
// Cut and choose over first shares of a joint key: parties that follow it make keys, over real files; whoever draws a
// candidate otherwise is named but for one time in as many as there are; and a party whose file was copied back opens
// nothing that it kept.

#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/io/joint/party_file.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/joint/joint_audit.hpp"
#include "cyclotome/rlwe/joint/joint_coins.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/value/joint/joint_keys.hpp"
#include "folder.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;
using rlwe::Coin;
using rlwe::Commitment;
using rlwe::KeyShare;
using rlwe::Opened;
using rlwe::PartyState;
using rlwe::ThresholdSession;
using value::JointMessages;
using value::JointParty;
using value::JointProgress;

rlwe::ContextPtr context_of(std::size_t degree, Word word, const rlwe::Scheme& scheme) {
  rlwe::ParametersLiteral literal = io_objects::small_literal(degree, word, word == Word::u64 ? 50 : 28, 3, 1, {97});
  literal.scheme = &scheme;
  literal.parties = 3;
  return scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(1));
}

ThresholdSession session_of(const rlwe::ContextPtr& context, std::size_t audit = 8, std::size_t threshold = 2,
                            std::vector<std::uint64_t> elements = {3, 5}) {
  return ThresholdSession::create(
      context->parameters(),
      {.parties = {1, 2}, .threshold = threshold, .galois_elements = std::move(elements), .audit = audit});
}

/// A seed for each number, so that a test always draws the same.
Seed seed_of(std::uint64_t number) {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  bytes[31] = 7;
  return Seed(bytes);
}

/// The residues of a share, changed.
KeyShare changed(const KeyShare& share, const std::function<void(std::vector<std::uint64_t>&)>& change) {
  PolyArray bodies = share.bodies().clone();
  std::vector<std::uint64_t> residues = bodies.to_host();
  change(residues);
  bodies.from_host(residues);
  return {share.context(), share.session(), share.party(), share.round(), share.basis(), std::move(bodies)};
}

/// Party 2, who knows the protocol, and draws one candidate otherwise. All that it sends goes together.
class Cheat {
 public:
  using Draw = std::function<KeyShare(const std::vector<KeyShare>& candidates)>;

  Cheat(const ThresholdSession& session, const rlwe::ContextPtr& context, std::uint64_t number, std::size_t which,
        const Draw& draw)
      : session_(session), context_(context), seed_(seed_of(number)), which_(which), draw_(draw) {}

  Digest part() const { return rlwe::coin_part(session_, seed_); }
  Coin toss() const { return coin(Coin::Stage::tossed, Digest{}, rlwe::tossed(session_.digest(), 2, part())); }
  Coin coin(Coin::Stage stage, const Digest& basis, const Digest& value) const {
    return {session_.parameters(), session_.digest(), 2, stage, basis, value};
  }

  Commitment commit(const std::vector<Digest>& tosses) {
    tosses_ = rlwe::tosses_digest(session_, tosses);
    for (std::size_t i = 0; i < session_.audit(); ++i) {
      const Seed seed = rlwe::candidate_seed(session_, seed_, tosses_, i);
      candidates_.push_back(rlwe::first_share(session_, 2, rlwe::party_key(session_, context_, 2, seed), Digest{}));
    }
    if (which_ < candidates_.size()) candidates_[which_] = draw_(candidates_);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      hashes_.push_back(rlwe::candidate_digest(session_.digest(), 2, i, candidates_[i].residues()));
    }
    return {session_.parameters(), session_.digest(), 2, rlwe::candidates_digest(session_.digest(), 2, hashes_)};
  }
  KeyShare first(const Digest& commitments, const Digest& coin) const {
    const KeyShare& kept = candidates_.at(rlwe::kept_candidate(coin, 2, session_.audit()));
    KeyShare share(context_, session_.digest(), 2, KeyShare::Round::first, rlwe::chosen_digest(commitments, coin),
                   kept.bodies().clone());
    share.open(rlwe::opened_candidates(session_, 2, seed_, tosses_, coin, hashes_));
    return share;
  }

 private:
  const ThresholdSession& session_;
  const rlwe::ContextPtr& context_;
  Seed seed_;
  std::size_t which_;
  Draw draw_;
  Digest tosses_{};
  std::vector<KeyShare> candidates_;
  std::vector<Digest> hashes_;
};

/// What becomes of a session of an honest party 1 and that one: whether party 2 is named.
struct Outcome {
  bool named = false, kept = false;  // kept: the coin chose what was drawn otherwise
};

Outcome outcome(const ThresholdSession& session, const rlwe::ContextPtr& context, std::uint64_t number,
                std::size_t which, const Cheat::Draw& draw) {
  JointParty ada(session, context,
                 value::store_in_memory(PartyState(session.digest(), 1, seed_of(2 * number), {}, Digest{})));
  Cheat ben(session, context, 2 * number + 1, which, draw);
  const std::vector<Coin> tosses = {ada.toss(), ben.toss()};
  const std::vector<Digest> tossed = {tosses[0].value(), tosses[1].value()};
  const std::vector<Commitment> commitments = {ada.commit(tosses), ben.commit(tossed)};
  const std::vector<Digest> all = {commitments[0].digest(), commitments[1].digest()};
  const Coin shown = ada.show_coin(commitments);
  const Digest basis = rlwe::shown_after(session, tossed, all);
  const std::vector<Coin> coins = {shown, ben.coin(Coin::Stage::shown, basis, ben.part())};
  const std::vector<Digest> parts = {coins[0].value(), coins[1].value()};
  const Digest coin = rlwe::coin_of(session, tossed, parts);
  const std::vector<KeyShare> first = {ada.first_share(coins), ben.first(rlwe::commitments_digest(session, all), coin)};
  Outcome found{.named = false, .kept = rlwe::kept_candidate(coin, 2, session.audit()) == which};
  try {
    ada.agree(first);
  } catch (const BlameError& error) {
    CHECK_EQ(error.parties(), std::vector<std::uint32_t>{2});
    CHECK_EQ(error.stage(), "first");
    CHECK(error.evidence().starts_with("candidate " + std::to_string(which) + " "));
    CHECK(!ada.knows_key());
    found.named = true;
  }
  return found;
}

/// Secret, u and all errors of two candidates added up: neither secret is ternary.
KeyShare not_ternary(const std::vector<KeyShare>& candidates) {
  PolyArray sum = candidates[0].bodies().clone();
  sum.engine()->add(sum.view(), sum.view(), candidates[1].bodies().view());
  const KeyShare& share = candidates[0];
  return {share.context(), share.session(), 2, share.round(), share.basis(), std::move(sum)};
}

/// Residues of one item plus a constant, 2^bits.
KeyShare raised(const KeyShare& share, std::size_t item, unsigned bits) {
  return changed(share, [&](std::vector<std::uint64_t>& residues) {
    const rlwe::Parameters& p = share.context()->parameters();
    std::vector<std::uint64_t> moduli(p.special_moduli());
    moduli.insert(moduli.end(), p.moduli().begin(), p.moduli().end());
    std::size_t place = item * moduli.size() * p.degree();
    for (const std::uint64_t q : moduli) {
      std::uint64_t by = 1;
      for (unsigned i = 0; i < bits; ++i) by = by * 2 % q;
      for (std::size_t i = 0; i < p.degree(); ++i, ++place) residues[place] = (residues[place] + by) % q;
    }
  });
}

TEST(whoever_draws_a_candidate_otherwise_is_named_unless_the_coin_keeps_it) {
  for (const Word word : {Word::u32, Word::u64}) {
    for (const rlwe::Scheme* scheme : {&bfv::scheme(), &bgv::scheme()}) {
      const rlwe::ContextPtr context = context_of(16, word, *scheme);
      const ThresholdSession session = session_of(context);
      const std::size_t digits = session.parameters().digits(), galois = 1 + 2 * digits;
      const std::vector<std::pair<const char*, Cheat::Draw>> ways = {
          {"secret and u are not ternary", not_ternary},
          {"an altered error in a Galois body", [&](const auto& all) { return raised(all[3], galois, 0); }},
          {"2^64 on h_0", [](const auto& all) { return raised(all[3], 1, 64); }},
          {"2^40 on the public key", [](const auto& all) { return raised(all[3], 0, 40); }},
          {"one bit of one residue",
           [](const auto& all) {
             return changed(all[3], [](std::vector<std::uint64_t>& residues) {
               residues.back() = residues.back() == 0 ? 1 : residues.back() - 1;
             });
           }},
          {"another candidate in its place", [](const auto& all) { return all[4]; }},
          {"the wrong rotation", [&](const auto& all) {
             return changed(all[3], [&](std::vector<std::uint64_t>& residues) {
               const std::size_t one = residues.size() / share_items(session, KeyShare::Round::first) * digits;
               const auto first = residues.end() - static_cast<std::ptrdiff_t>(2 * one);
               std::rotate(first, first + static_cast<std::ptrdiff_t>(one), residues.end());
             });
           }}};
      std::uint64_t number = 1;
      for (const auto& [name, draw] : ways) {
        for (int times = 0; times < 4; ++times, ++number) {
          const Outcome found = outcome(session, context, number, 3, draw);
          CHECK(found.named != found.kept);
          if (found.named == found.kept) std::cout << name << '\n';
        }
      }
      CHECK(!outcome(session, context, 500, 100, not_ternary).named);  // none of its candidates
    }
  }
}

TEST(a_cheat_is_named_seven_times_of_eight) {
  const rlwe::ContextPtr context = context_of(8, Word::u64, bfv::scheme());
  constexpr int sessions = 1000;
  for (const std::size_t audit : {2, 8}) {
    const ThresholdSession session = session_of(context, audit, 2, {});
    int named = 0;
    for (std::uint64_t number = 0; number < sessions; ++number) {
      // Where it cheats depends on nothing that it can know of the coin.
      const auto which = static_cast<std::size_t>(number * 5 % audit);
      named += outcome(session, context, 1000 + number, which, [&](const auto& all) {
                 return raised(all[which], 1, 9);
               }).named;
    }
    const double chance = 1 - 1.0 / static_cast<double>(audit);
    const double deviation = std::sqrt(sessions * chance * (1 - chance));
    // Sessions draw their reference seeds from the system: six deviations are passed by a chance below 10^-8.
    CHECK(std::abs(named - sessions * chance) < 6 * deviation);
  }
}

TEST(coins_that_are_withheld_altered_or_copied) {
  const rlwe::ContextPtr context = context_of(16, Word::u64, bfv::scheme());
  const ThresholdSession session = session_of(context);
  JointParty ada(session, context, 1), ben(session, context, 2);
  const std::vector<Coin> tosses = {ada.toss(), ben.toss()};
  CHECK_THROWS_WITH(ArgumentError, ada.commit(std::span(tosses).first(1)), "nothing of party 2");
  CHECK_THROWS_WITH(ArgumentError, ada.commit(), "nothing of party 1");
  const Coin copied(session.parameters(), session.digest(), 2, Coin::Stage::tossed, {}, tosses[0].value());
  const std::vector<Coin> with_copy = {tosses[0], copied};
  const auto with = [&](const Coin& coin, const Coin& other) { return std::vector<Coin>{coin, other}; };
  {  // A party that tosses what another did can show nothing that fits, not even the same part.
    JointParty eve(session, context, 1);
    const std::vector<Coin> own = {
        eve.toss(), Coin(session.parameters(), session.digest(), 2, Coin::Stage::tossed, {}, eve.toss().value())};
    const std::vector<Commitment> commitments = {eve.commit(own), ben.commit(tosses)};
    const Coin shown = eve.show_coin(commitments);
    const Coin same(session.parameters(), session.digest(), 2, Coin::Stage::shown, shown.basis(), shown.value());
    CHECK_THROWS_WITH(BlameError, eve.first_share(with(shown, same)), "party 2 shows another coin");
  }
  const std::vector<Commitment> commitments = {ada.commit(tosses), ben.commit(tosses)};
  CHECK_THROWS(RepeatedAnswerError, ada.commit(with_copy));
  CHECK_THROWS(ArgumentError, ada.show_coin(std::span(commitments).first(1)));
  CHECK_THROWS_WITH(ArgumentError, ada.first_share(commitments), "shows its coin");
  CHECK_THROWS_WITH(ArgumentError, ada.first_share(tosses), "other stage");
  const std::vector<Coin> coins = {ada.show_coin(commitments), ben.show_coin(commitments)};
  CHECK_THROWS_WITH(ArgumentError, ada.first_share(std::span(coins).first(1)), "nothing of party 2");
  const Coin altered(session.parameters(), session.digest(), 2, Coin::Stage::shown, coins[1].basis(), Digest{1});
  CHECK_THROWS_WITH(BlameError, ada.first_share(with(coins[0], altered)), "party 2 shows another coin");
  const Coin elsewhere(session.parameters(), session.digest(), 2, Coin::Stage::shown, Digest{1}, coins[1].value());
  CHECK_THROWS_WITH(MismatchError, ada.first_share(with(coins[0], elsewhere)), "not all have seen the same");
  CHECK_THROWS_WITH(ArgumentError, ada.secret(), "no secret key yet");  // nothing was opened by any of these
  const JointProgress waiting =
      ada.advance({.coins = {tosses[1]}, .commitments = commitments, .shares = {}, .acceptances = {}});
  CHECK_EQ(waiting.stage, "coin");
  CHECK_EQ(waiting.missing, std::vector<std::uint32_t>{2});
  CHECK(waiting.sent.shares.empty());
  std::vector<KeyShare> first = {ada.first_share(coins), ben.first_share(coins)};
  // Seeds that do not open, too few of them, another coin's.
  const auto opening = [&](const std::function<void(Opened&)>& change) {
    Opened opened = first[1].opened();
    change(opened);
    KeyShare share = first[1];
    share.open(opened);
    return std::vector<KeyShare>{first[0], share};
  };
  CHECK_THROWS_WITH(BlameError, ada.agree(opening([](Opened& o) { o.candidates[2].seed = PublicSeed(Digest{9}); })),
                    "is not what its seed gives");
  CHECK_THROWS_WITH(BlameError, ada.agree(opening([](Opened& o) { o.candidates[2].hash[0] ^= 1; })),
                    "committed to another first share");
  CHECK_THROWS_WITH(ArgumentError, ada.agree(opening([](Opened& o) { o.candidates.pop_back(); })), "opens 6");
  // Another coin may keep the same candidate, and then what it stands on does not fit.
  CHECK_THROWS(Error, ada.agree(opening([](Opened& o) { o.coin[0] ^= 1; })));
  CHECK_THROWS(ArgumentError,
               first[0].open({{}, std::vector<Opened::Candidate>(256, first[0].opened().candidates[0])}));
  ada.agree(first);
  CHECK(ada.knows_key());
  KeyShare second = ada.second_share(first);
  CHECK_THROWS(ArgumentError, second.open(first[0].opened()));
}

/// Runs parties of files until they have keys; every step opens its party's file anew.
JointProgress run(const ThresholdSession& session, const rlwe::ContextPtr& context,
                  const std::vector<std::string>& files, JointMessages& inbox) {
  JointProgress last;
  for (int round = 0; round < 7; ++round) {
    for (const std::string& file : files) {
      last = JointParty(session, context, io::PartyFile::open(file, session)).advance(inbox);
      inbox.coins.insert(inbox.coins.end(), last.sent.coins.begin(), last.sent.coins.end());
      inbox.commitments.insert(inbox.commitments.end(), last.sent.commitments.begin(), last.sent.commitments.end());
      inbox.shares.insert(inbox.shares.end(), last.sent.shares.begin(), last.sent.shares.end());
      inbox.acceptances.insert(inbox.acceptances.end(), last.sent.acceptances.begin(), last.sent.acceptances.end());
    }
  }
  return last;
}

TEST(a_file_that_was_copied_back_opens_nothing_that_was_kept) {
  const check::Folder folder;
  const rlwe::ContextPtr context = context_of(16, Word::u64, bfv::scheme());
  const ThresholdSession session = session_of(context);
  const std::string ada = folder.file("ada"), ben = folder.file("ben"), other = folder.file("other");
  io::PartyFile::create(ada, session, 1);
  io::PartyFile::create(ben, session, 2);
  io::PartyFile::create(other, session, 2);
  const auto seeds_of = [](const JointMessages& messages) {
    std::set<std::array<std::uint8_t, 32>> seeds;
    for (const KeyShare& share : messages.shares) {
      if (share.party() != 1) continue;
      for (const Opened::Candidate& each : share.opened().candidates) seeds.insert(each.seed.bytes());
    }
    return seeds;
  };
  const auto party = [&] { return JointParty(session, context, io::PartyFile::open(ada, session)); };
  const PartyState before = io::PartyFile::open(ada, session)->read();
  const auto copied_back = [&] {
    return JointParty(session, context,
                      value::store_in_memory(PartyState(session.digest(), 1, Seed(before.seed().bytes()), {}, {})));
  };
  JointMessages inbox;
  const JointProgress done = run(session, context, {ada, ben}, inbox);
  CHECK_EQ(done.stage, "done");
  CHECK_EQ(seeds_of(inbox).size(), std::size_t{7});
  const auto secret = party().secret().coefficients();

  // Another party 2: the file refuses. Its older copy answers, with other candidates, a secret of its own, and seeds
  // of which none is the one that it kept.
  JointParty second(session, context, io::PartyFile::open(other, session));
  const std::vector<Coin> tosses = {party().toss(), second.toss()};
  CHECK_THROWS_WITH(RepeatedAnswerError, party().commit(tosses), "begin a new session");
  for (int times = 0; times < 20; ++times) {
    JointParty again = copied_back(), fresh(session, context, 2);
    JointMessages replayed;
    for (int round = 0; round < 4; ++round) {
      for (JointParty* const each : {&again, &fresh}) {
        const JointProgress progress = each->advance(replayed);
        replayed.coins.insert(replayed.coins.end(), progress.sent.coins.begin(), progress.sent.coins.end());
        replayed.commitments.insert(replayed.commitments.end(), progress.sent.commitments.begin(),
                                    progress.sent.commitments.end());
        replayed.shares.insert(replayed.shares.end(), progress.sent.shares.begin(), progress.sent.shares.end());
      }
    }
    const auto opened = seeds_of(replayed);
    CHECK_EQ(opened.size(), std::size_t{7});
    const auto other_secret = again.secret().coefficients();
    CHECK(!std::ranges::equal(other_secret, secret));
    for (const auto& seed : opened) {
      const auto found = rlwe::party_key(session, context, 1, Seed(seed)).coefficients();
      CHECK(!std::ranges::equal(found, secret));
      CHECK(!std::ranges::equal(found, other_secret));
    }
  }
  // The same tosses lead to the same coin alone, and so to the same seeds.
  JointMessages same;
  for (const Coin& coin : inbox.coins) same.coins.push_back(coin);
  same.commitments = inbox.commitments;
  const JointMessages sent = copied_back().advance(same).sent;
  CHECK(seeds_of(sent) == seeds_of(inbox));
}

}  // namespace

int main() { return check::run(); }
