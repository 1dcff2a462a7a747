// SPDX-License-Identifier: Apache-2.0
// Dealt shares that can be checked: honest ones give the joint secret, in every epoch; every scripted dishonest dealer
// or receiver is named, by a verdict that a third person reaches too.

#include <deque>
#include <map>
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"
#include "cyclotome/rlwe/joint/dealing/messages.hpp"
#include "cyclotome/rlwe/joint/dealing/rows.hpp"
#include "cyclotome/rlwe/joint/dealing/verified_dealing.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;
using rlwe::Complaint;
using rlwe::Dealing;
using rlwe::DealingRound;
using rlwe::DealtSecret;
using rlwe::SecretShare;

const std::vector<std::uint32_t> parties{1, 2, 5, 300, 65535};
constexpr std::size_t threshold = 3;

/// A session of five, of whom three decrypt, with identities and secrets of all.
struct Group {
  rlwe::ContextPtr context;
  rlwe::ThresholdSession session;
  std::map<std::uint32_t, rlwe::Identity> identities;
  std::map<std::uint32_t, rlwe::SecretKey> secrets;

  explicit Group(rlwe::ParametersLiteral literal)
      : context(scheme::make_context(rlwe::Parameters(with_parties(literal)), CpuEngine::create(1))),
        session(rlwe::ThresholdSession::create(context->parameters(),
                                               {.parties = parties, .threshold = threshold, .galois_elements = {}})) {
    for (const std::uint32_t party : parties) {
      identities.emplace(party, rlwe::Identity::create());
      const auto drawn = rlwe::deterministic::generate_secret_key(context, Seed::from_system());
      secrets.emplace(party,
                      rlwe::SecretKey::from_coefficients(context, drawn.coefficients(), session.party_key(party)));
    }
  }

  static rlwe::ParametersLiteral with_parties(rlwe::ParametersLiteral literal) {
    literal.parties = parties.size();
    return literal;
  }
  rlwe::Identities known() const {
    rlwe::Identities known;
    for (const auto& [party, identity] : identities) known.emplace(party, identity.public_identity());
    return known;
  }
  DealingRound round(DealtSecret what = DealtSecret::own, std::uint32_t epoch = 0,
                     std::vector<std::uint32_t> dealers = parties) const {
    return {session, {what, epoch, std::move(dealers)}, known()};
  }
  std::vector<rlwe::ReceivingKeys> keys(const DealingRound& round) const {
    std::vector<rlwe::ReceivingKeys> all;
    for (const auto& [party, identity] : identities) all.push_back(receiving_keys(round, party, identity));
    return all;
  }
};

/// All that was sent in a round.
struct Sent {
  std::vector<Dealing> dealings;
  std::map<std::uint32_t, std::vector<rlwe::SealedShare>> sealed;  // by receiver

  void add(rlwe::Dealt dealt) {
    dealings.push_back(std::move(dealt.dealing));
    for (auto& each : dealt.sealed) sealed[each.receiver].push_back(std::move(each));
  }
};

rlwe::Received receive(const Group& group, const DealingRound& round, const Sent& sent, std::uint32_t party) {
  return receive_dealt(round, group.context, party, group.identities.at(party), sent.dealings, sent.sealed.at(party));
}

Sent deal_all(const Group& group, const DealingRound& round) {
  Sent sent;
  const auto keys = group.keys(round);
  for (const std::uint32_t party : round.dealers()) {
    sent.add(deal_own(round, party, group.identities.at(party), group.secrets.at(party), keys));
  }
  return sent;
}

std::map<std::uint32_t, SecretShare> shares_of(const Group& group, const DealingRound& round, const Sent& sent) {
  std::map<std::uint32_t, SecretShare> shares;
  for (const std::uint32_t party : parties) {
    rlwe::Received received = receive(group, round, sent, party);
    CHECK(received.complaints.empty());
    if (received.share) shares.emplace(party, std::move(*received.share));
  }
  return shares;
}

/// Sum of lambda_i S_i, with Lagrange's coefficients by Fermat's little theorem: the joint secret.
std::vector<std::uint64_t> interpolated(const Group& group, const std::map<std::uint32_t, SecretShare>& shares,
                                        const std::vector<std::uint32_t>& active) {
  const auto& primes = group.context->ciphertext_ring()->basis().values();
  const std::size_t n = group.context->degree();
  std::vector<std::uint64_t> sum(primes.size() * n, 0);
  for (const std::uint32_t party : active) {
    const auto residues = shares.at(party).share().to_host();
    for (std::size_t limb = 0; limb < primes.size(); ++limb) {
      const std::uint64_t q = primes[limb];
      const auto power = [&](std::uint64_t base, std::uint64_t exponent) {
        u128 result = 1, square = base;
        for (; exponent != 0; exponent >>= 1, square = square * square % q) {
          if ((exponent & 1) != 0) result = result * square % q;
        }
        return static_cast<std::uint64_t>(result);
      };
      u128 factor = 1;
      for (const std::uint32_t other : active) {
        if (other == party) continue;
        factor = factor * (other % q) % q * power((other + q - party % q) % q, q - 2) % q;
      }
      for (std::size_t i = 0; i < n; ++i) {
        auto& place = sum[limb * n + i];
        place = static_cast<std::uint64_t>((place + factor * residues[limb * n + i]) % q);
      }
    }
  }
  return sum;
}

std::vector<std::uint64_t> joint_secret(const Group& group) {
  const auto& primes = group.context->ciphertext_ring()->basis().values();
  const std::size_t n = group.context->degree();
  std::vector<std::uint64_t> sum(primes.size() * n, 0);
  for (const auto& [party, secret] : group.secrets) {
    PolyArray own = group.context->make(group.context->ciphertext_ring(), 1, 1, Domain::transform);
    group.context->engine()->copy(own.view(), secret.at_level(group.context->max_level()));
    const auto residues = own.to_host();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = (sum[i] + residues[i]) % primes[i / n];
  }
  return sum;
}

std::deque<Group> groups() {
  using io_objects::small_literal;
  std::deque<Group> all;
  all.emplace_back(small_literal(16, Word::u64, 50, 3, 1, {65537}));
  all.emplace_back(small_literal(16, Word::u32, 30, 2, 1, {257}));
  all.emplace_back(small_literal(8, Word::u64, 55, 2, 1, {65537}, &bgv::scheme()));
  all.emplace_back(small_literal(16, Word::u32, 28, 3, 1, {257}, &bgv::scheme()));
  return all;
}

const std::vector<std::vector<std::uint32_t>> actives{{1, 2, 5}, {2, 300, 65535}, {1, 2, 5, 300, 65535}};

TEST(honest_shares_are_the_joint_secret_in_every_epoch) {
  for (const Group& group : groups()) {
    const DealingRound round = group.round();
    const auto secret = joint_secret(group);
    auto shares = shares_of(group, round, deal_all(group, round));
    for (const auto& active : actives) CHECK(interpolated(group, shares, active) == secret);

    const DealingRound zero = group.round(DealtSecret::zero, 1);
    Sent sent;
    const auto keys = group.keys(zero);
    for (const std::uint32_t party : parties) {
      sent.add(deal_zero(zero, party, group.identities.at(party), group.context, keys));
    }
    std::map<std::uint32_t, SecretShare> fresh;
    for (auto& [party, share] : shares_of(group, zero, sent)) {
      fresh.emplace(party, refreshed(zero, shares.at(party), share));
      CHECK_EQ(fresh.at(party).epoch(), 1U);
      CHECK(fresh.at(party).share().to_host() != shares.at(party).share().to_host());
    }
    for (const auto& active : actives) CHECK(interpolated(group, fresh, active) == secret);
    // Two of the old epoch and one of the new one: nothing.
    std::map<std::uint32_t, SecretShare> mixed;
    for (const std::uint32_t party : {1U, 2U}) {
      mixed.emplace(party,
                    SecretShare(group.context, group.session.digest(), 0, party, shares.at(party).share().clone()));
    }
    mixed.emplace(5, SecretShare(group.context, group.session.digest(), 0, 5, fresh.at(5).share().clone()));
    CHECK(interpolated(group, mixed, {1, 2, 5}) != secret);
    CHECK_THROWS(ArgumentError, refreshed(zero, fresh.at(1), fresh.at(1)));

    // Three live parties deal to all anew, two of whom had lost theirs.
    const DealingRound anew = group.round(DealtSecret::share, 2, {1, 5, 300});
    Sent again;
    const auto new_keys = group.keys(anew);
    for (const std::uint32_t party : anew.dealers()) {
      again.add(deal_share(anew, party, group.identities.at(party), fresh.at(party), new_keys));
    }
    const auto replaced = shares_of(group, anew, again);
    for (const auto& active : actives) CHECK(interpolated(group, replaced, active) == secret);
    CHECK_THROWS(ArgumentError, deal_share(anew, 1, group.identities.at(1), shares.at(1), new_keys));  // an old epoch
    CHECK_THROWS(ArgumentError, deal_share(anew, 2, group.identities.at(2), fresh.at(2), new_keys));   // no dealer
  }
}

/// What an honest dealer says of its secret, with `lie` in what party `to` gets.
rlwe::DealerVoice lying(const rlwe::DealingPolynomials& polynomials, const std::vector<std::uint32_t>& to,
                        const std::function<void(ZeroisingVector<std::uint8_t>&)>& lie) {
  return {[&polynomials, to, lie](std::uint32_t party) {
            auto packed = polynomials.packed_at(party);
            if (std::ranges::find(to, party) != to.end()) lie(packed);
            return packed;
          },
          [&polynomials](const PublicSeed& challenge) { return polynomials.functionals(challenge); }};
}

/// A round in which party 2 says something else, and the verdicts on it.
void check_named(const Group& group, const rlwe::DealerVoice& voice, const std::vector<std::uint32_t>& victims) {
  const DealingRound round = group.round();
  const auto keys = group.keys(round);
  Sent sent;
  for (const std::uint32_t party : parties) {
    sent.add(party == 2 ? deal_voiced(round, 2, group.identities.at(2), voice, keys)
                        : deal_own(round, party, group.identities.at(party), group.secrets.at(party), keys));
  }
  for (const std::uint32_t party : parties) {
    const rlwe::Received received = receive(group, round, sent, party);
    const bool victim = std::ranges::find(victims, party) != victims.end();
    CHECK_EQ(received.share.has_value(), !victim);
    CHECK_EQ(received.complaints.size(), victim ? 1U : 0U);
    for (const Complaint& complaint : received.complaints) {
      const rlwe::Verdict verdict = judge(round, group.context, complaint);
      CHECK_EQ(verdict.guilty, 2U);
      // In another's name, or changed on its way, it shows nothing.
      Complaint altered = complaint;
      altered.accuser = party == 1 ? 5 : 1;
      CHECK_THROWS(MismatchError, judge(round, group.context, altered));
      altered = complaint;
      altered.key[3] ^= 1;
      CHECK_THROWS(MismatchError, judge(round, group.context, altered));
      CHECK_THROWS(MismatchError, judge(group.round(DealtSecret::zero, 1), group.context, complaint));
    }
  }
}

TEST(wrong_shares_are_named_whoever_gets_them) {
  std::mt19937_64 random(std::random_device{}());
  for (const Group& group : groups()) {
    const rlwe::DealingPolynomials honest(group.context, threshold,
                                          group.secrets.at(2).at_level(group.context->max_level()));
    const std::size_t residues = group.context->degree() * group.context->ciphertext_ring()->limbs();
    const std::size_t width = bytes_of(group.context->ciphertext_ring()->word());
    const std::size_t place = random() % residues * width;
    // One residue, of the lowest bit, to one, to two and to all receivers.
    const auto one_bit = [place](ZeroisingVector<std::uint8_t>& packed) { packed[place] ^= 1; };
    check_named(group, lying(honest, {5}, one_bit), {5});
    check_named(group, lying(honest, {1, 300}, one_bit), {1, 300});
    check_named(group, lying(honest, parties, one_bit), parties);
    // A mask.
    check_named(group, lying(honest, {65535}, [](auto& packed) { packed.back() ^= 0x80; }), {65535});
    check_named(group, lying(honest, {65535}, [](auto& packed) { packed[packed.size() - 8] ^= 1; }), {65535});
    // A residue beyond its prime, too few bytes, too many, none.
    check_named(group, lying(honest, {1}, [](auto& packed) { std::fill_n(packed.begin(), 8, 0xff); }), {1});
    check_named(group, lying(honest, {1}, [](auto& packed) { packed.pop_back(); }), {1});
    check_named(group, lying(honest, {1}, [](auto& packed) { packed.push_back(0); }), {1});
    check_named(group, lying(honest, {1}, [](auto& packed) { packed.clear(); }), {1});
    // Points of two polynomials: each right, and off the other one.
    const rlwe::DealingPolynomials other(group.context, threshold,
                                         group.secrets.at(2).at_level(group.context->max_level()));
    check_named(group,
                {[&](std::uint32_t party) { return (party == 5 ? other : honest).packed_at(party); },
                 [&](const PublicSeed& challenge) { return honest.functionals(challenge); }},
                {5});
    // A polynomial of a degree that is one too high, with the functionals that fit it best: its lower coefficients'.
    const rlwe::DealingPolynomials steep(group.context, threshold + 1,
                                         group.secrets.at(2).at_level(group.context->max_level()));
    const std::size_t rows = rlwe::dealing_rows(group.context->ciphertext_ring()->basis().values());
    check_named(group,
                {[&](std::uint32_t party) { return steep.packed_at(party); },
                 [&](const PublicSeed& challenge) {
                   const auto all = steep.functionals(challenge);
                   std::vector<std::uint64_t> cut;
                   for (std::size_t i = 0; i < all.size(); ++i) {
                     if (i % (threshold + 1) < threshold) cut.push_back(all[i]);
                   }
                   CHECK_EQ(cut.size(), group.context->ciphertext_ring()->limbs() * rows * threshold);
                   return cut;
                 }},
                parties);
    // Functionals: of another secret, one too few, beyond a prime.
    check_named(group,
                {[&](std::uint32_t party) { return honest.packed_at(party); },
                 [&](const PublicSeed& challenge) { return other.functionals(challenge); }},
                parties);
    for (const int what : {0, 1, 2}) {
      check_named(group,
                  {[&](std::uint32_t party) { return honest.packed_at(party); },
                   [&](const PublicSeed& challenge) {
                     auto values = honest.functionals(challenge);
                     if (what == 0) values.pop_back();
                     if (what == 1) values.push_back(0);
                     if (what == 2) values[0] = ~std::uint64_t{0};
                     return values;
                   }},
                  parties);
    }
  }
}

TEST(what_a_dealer_signs_in_the_open_is_evidence_by_itself) {
  const Group group(io_objects::small_literal(16, Word::u64, 50, 2, 1, {65537}));
  const DealingRound round = group.round();
  const auto keys = group.keys(round);
  const rlwe::Identity& ben = group.identities.at(2);
  const Dealing honest = deal_own(round, 2, ben, group.secrets.at(2), keys).dealing;
  CHECK_EQ(public_fault(round, group.context, honest), "");
  // A key that nobody issued: the dealer could open what it sealed for it, and its receiver could not.
  Dealing altered = honest;
  altered.keys[3].key = ben.public_identity();
  sign(round, ben, altered);
  CHECK(public_fault(round, group.context, altered).find("party 300 did not issue") != std::string::npos);
  altered = honest;
  altered.keys.pop_back();
  altered.sealed.pop_back();
  sign(round, ben, altered);
  CHECK(!public_fault(round, group.context, altered).empty());
  // What its dealer did not sign shows nothing of it.
  altered = honest;
  altered.values[0] ^= 1;
  CHECK_THROWS(MismatchError, public_fault(round, group.context, altered));
  sign(round, group.identities.at(1), altered);
  CHECK_THROWS(MismatchError, public_fault(round, group.context, altered));

  // Refreshing with something else than zero.
  const DealingRound zero = group.round(DealtSecret::zero, 1);
  const rlwe::DealingPolynomials secret(group.context, threshold,
                                        group.secrets.at(2).at_level(group.context->max_level()));
  const auto voice = rlwe::DealerVoice{[&](std::uint32_t party) { return secret.packed_at(party); },
                                       [&](const PublicSeed& challenge) { return secret.functionals(challenge); }};
  const auto zero_keys = group.keys(zero);
  const auto lie = deal_voiced(zero, 2, ben, voice, zero_keys);
  CHECK_EQ(public_fault(zero, group.context, lie.dealing), "it dealt something else than 0");
  // With the constants that it should have shown, its receivers see that.
  const auto hidden = rlwe::DealerVoice{voice.packed_at, [&](const PublicSeed& challenge) {
                                          auto values = secret.functionals(challenge);
                                          for (std::size_t i = 0; i < values.size(); i += threshold) values[i] = 0;
                                          return values;
                                        }};
  Sent sent;
  for (const std::uint32_t party : parties) {
    sent.add(party == 2 ? deal_voiced(zero, 2, ben, hidden, zero_keys)
                        : deal_zero(zero, party, group.identities.at(party), group.context, zero_keys));
  }
  for (const std::uint32_t party : parties) {
    const auto received = receive(group, zero, sent, party);
    CHECK_EQ(received.complaints.size(), 1U);
    for (const Complaint& complaint : received.complaints) CHECK_EQ(judge(zero, group.context, complaint).guilty, 2U);
  }
}

TEST(false_complaints_name_who_complains) {
  const Group group(io_objects::small_literal(16, Word::u64, 50, 2, 1, {65537}));
  const DealingRound round = group.round();
  const Sent sent = deal_all(group, round);
  const rlwe::Identity& ada = group.identities.at(1);
  const auto complain = [&](std::uint32_t dealer, rlwe::SealedShare sealed, const rlwe::Identity& key) {
    const auto dealing = std::ranges::find(sent.dealings, dealer, &Dealing::dealer);
    Complaint complaint{1, *dealing, std::move(sealed), key.seed().bytes(), {}};
    sign(round, ada, complaint);
    return judge(round, group.context, complaint);
  };
  const auto from = [&](std::uint32_t dealer) {
    return *std::ranges::find(sent.sealed.at(1), dealer, &rlwe::SealedShare::dealer);
  };
  const rlwe::Identity key = receiving_identity(round, 2, ada);
  CHECK_EQ(complain(2, from(2), key).guilty, 1U);                                // of a share that is right
  CHECK_EQ(complain(2, from(2), receiving_identity(round, 5, ada)).guilty, 1U);  // with another key
  CHECK_EQ(complain(2, from(2), rlwe::Identity::create()).guilty, 1U);
  CHECK_EQ(complain(2, from(5), key).guilty, 1U);  // of another dealer's message
  rlwe::SealedShare altered = from(2);
  altered.bytes[100] ^= 1;
  CHECK_EQ(complain(2, altered, key).guilty, 1U);  // of one that it altered itself
  // The key that it published opens nothing else.
  CHECK_THROWS(ArgumentError, key.open({}, from(5).bytes));
}

TEST(relays_can_stop_a_round_but_name_nobody) {
  const Group group(io_objects::small_literal(16, Word::u64, 50, 2, 1, {65537}));
  const DealingRound round = group.round();
  const Sent sent = deal_all(group, round);
  CHECK(receive(group, round, sent, 1).share.has_value());
  Sent altered = sent;
  altered.sealed.at(1)[0].bytes[50] ^= 1;
  CHECK_THROWS_WITH(MismatchError, receive(group, round, altered, 1), "ask for it again");
  altered = sent;
  std::swap(altered.sealed.at(1)[0].bytes, altered.sealed.at(1)[1].bytes);
  CHECK_THROWS(MismatchError, receive(group, round, altered, 1));
  altered = sent;
  altered.sealed.at(1)[0] = altered.sealed.at(2)[0];  // another's
  CHECK_THROWS(MismatchError, receive(group, round, altered, 1));
  altered = sent;
  altered.dealings[0].sealed[4][0] ^= 1;
  CHECK_THROWS_WITH(MismatchError, receive(group, round, altered, 1), "not signed by party 1");
  altered = sent;
  altered.dealings.pop_back();
  CHECK_THROWS(ArgumentError, receive(group, round, altered, 1));
  altered.dealings.push_back(altered.dealings[0]);
  CHECK_THROWS(ArgumentError, receive(group, round, altered, 1));
  // Of another epoch, or other identities.
  CHECK_THROWS(MismatchError, receive(group, group.round(DealtSecret::share, 1), sent, 1));
  const Group others(io_objects::small_literal(16, Word::u64, 50, 2, 1, {65537}));
  CHECK_THROWS(ArgumentError, receive(others, round, sent, 1));
}

TEST(keys_and_rounds_that_do_not_fit_are_refused) {
  const Group group(io_objects::small_literal(16, Word::u64, 50, 2, 1, {65537}));
  const DealingRound round = group.round();
  auto keys = group.keys(round);
  const auto deal = [&](const std::vector<rlwe::ReceivingKeys>& given) {
    return deal_own(round, 1, group.identities.at(1), group.secrets.at(1), given);
  };
  auto altered = keys;
  altered.pop_back();
  CHECK_THROWS(ArgumentError, deal(altered));
  altered.push_back(keys[0]);
  CHECK_THROWS(ArgumentError, deal(altered));
  altered = keys;
  std::swap(altered[1].keys[0], altered[2].keys[0]);  // a relay's
  CHECK_THROWS_WITH(ArgumentError, deal(altered), "not signed");
  altered = keys;
  altered[1].keys.clear();
  CHECK_THROWS(ArgumentError, deal(altered));
  altered = group.keys(group.round(DealtSecret::zero, 1));
  CHECK_THROWS(MismatchError, deal(altered));
  CHECK_THROWS(ArgumentError, deal_own(round, 1, group.identities.at(2), group.secrets.at(1), keys));
  CHECK_THROWS(MismatchError, deal_own(round, 1, group.identities.at(1), group.secrets.at(2), keys));
  CHECK_THROWS(ArgumentError, deal_zero(round, 1, group.identities.at(1), group.context, keys));
  CHECK_THROWS(ArgumentError, group.round(DealtSecret::own, 1));
  CHECK_THROWS(ArgumentError, group.round(DealtSecret::zero, 0));
  CHECK_THROWS(ArgumentError, group.round(DealtSecret::zero, 1, {1, 2}));  // fewer than t
  CHECK_THROWS(ArgumentError, group.round(DealtSecret::own, 0, {1, 2, 5}));
  CHECK_THROWS(ArgumentError, group.round(DealtSecret::share, 1, {1, 5, 2}));
  CHECK_THROWS(ArgumentError, group.round(DealtSecret::share, 1, {1, 2, 7}));
  auto known = group.known();
  known.erase(5);
  CHECK_THROWS(ArgumentError, DealingRound(group.session, {DealtSecret::own, 0, parties}, known));
  const auto all = rlwe::ThresholdSession::create(group.context->parameters(),
                                                  {.parties = {1, 2}, .threshold = 2, .galois_elements = {}});
  CHECK_THROWS(ArgumentError, DealingRound(all, {DealtSecret::own, 0, {1, 2}}, {}));
}

}  // namespace

int main() {
  if (libcrypto::curves_state() != "ready") {
    std::cout << "skipped: " << libcrypto::curves_state() << '\n';
    return 77;
  }
  return check::run();
}
