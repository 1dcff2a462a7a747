// SPDX-License-Identifier: Apache-2.0
// Whether the time of what parties of a joint key do depends on their secrets (dudect.hpp): shares of both rounds,
// dealing, checking what was dealt, decryption shares; and of identities, whose curves are OpenSSL's.
#include <deque>
#include <optional>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"
#include "cyclotome/rlwe/joint/dealing/rows.hpp"
#include "cyclotome/rlwe/joint/identity.hpp"
#include "cyclotome/rlwe/joint/threshold_keys.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/noise/key_check.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/value/joint/threshold_decryption.hpp"
#include "dudect.hpp"

using namespace cyclotome;

namespace {

using dudect::copies;
using dudect::degree;
using dudect::keep;
using dudect::leaks;
using dudect::Operation;

constexpr std::uint32_t own = 1;  // the party whose secret is timed
constexpr unsigned flooding_bits = 8;
constexpr std::size_t measurements = 1000;  // operations here take a millisecond

rlwe::Parameters parameters(const rlwe::Scheme* scheme, Word word) {
  const auto primes = primes_congruent_to_one(word == Word::u32 ? 30 : 49, 2 * degree, 3);
  rlwe::ParametersLiteral literal;
  literal.scheme = scheme;
  literal.degree = degree;
  literal.word = word;
  literal.plain_moduli = {12289};
  literal.special_moduli = {primes[0]};
  literal.moduli = {primes.begin() + 1, primes.end()};
  literal.allow_insecure = true;
  literal.parties = 3;
  return rlwe::Parameters(literal);
}

rlwe::ThresholdSession session_of(const rlwe::ContextPtr& context, std::size_t threshold) {
  return rlwe::ThresholdSession::create(context->parameters(),
                                        {.parties = {1, 2, 3}, .threshold = threshold, .galois_elements = {3}});
}

/// Class 0: zeros. Class 1: random and ternary.
rlwe::SecretKey key_of(const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context, std::size_t which) {
  std::vector<std::int8_t> coefficients(degree, 0);
  std::mt19937_64 random(std::random_device{}());
  for (auto& c : coefficients) c = static_cast<std::int8_t>(which == 0 ? 0 : static_cast<int>(random() % 3) - 1);
  return rlwe::SecretKey::from_coefficients(context, coefficients, session.party_key(own), rlwe::KeyCheck::skipped);
}

/// Whether what a first share draws for this secret passes its checks at once. How many draws there were is public
/// (doc/constant-time.md), and takes time: it has to be the same in both classes.
bool draws_once(const rlwe::ThresholdSession& session, const rlwe::SecretKey& secret) {
  const rlwe::ContextPtr& context = secret.context();
  const rlwe::PartySeeds seeds(session, secret);
  const auto drawn = [&](Law law, const Seed& seed, Stream stream) {
    PolyArray polynomial = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
    context->engine()->sample(polynomial.view(), law, seed, stream);
    return polynomial;
  };
  return rlwe::secret_is_fit(
             drawn(Law::ternary, seeds.derive(rlwe::Purpose::joint_ephemeral_secret), Stream::secret)) &&
         rlwe::error_is_fit(drawn(Law::error, seeds.derive(rlwe::Purpose::joint_public_key, 0, rlwe::Half::error),
                                  Stream::switching_key_error));
}

/// A party's secrets of both classes in one session.
struct Secrets {
  rlwe::ThresholdSession session;
  std::deque<rlwe::SecretKey> keys[2];

  static Secrets of(const rlwe::ContextPtr& context, std::size_t threshold) {
    for (;;) {
      Secrets made{session_of(context, threshold), {}};
      if (!draws_once(made.session, key_of(made.session, context, 0))) continue;  // all zeros draw alike
      for (const std::size_t which : {0, 1}) {
        while (made.keys[which].size() < copies) {
          rlwe::SecretKey key = key_of(made.session, context, which);
          if (draws_once(made.session, key)) made.keys[which].push_back(std::move(key));
        }
      }
      return made;
    }
  }
};

template <class Share>
std::vector<const Share*> all_of(const std::deque<Share>& shares) {
  std::vector<const Share*> pointers;
  for (const Share& share : shares) pointers.push_back(&share);
  return pointers;
}

/// The first round of three parties with random secrets.
rlwe::FirstRound first_round(const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context) {
  std::deque<rlwe::KeyShare> drawn, shares;
  std::vector<Digest> commitments;
  for (const std::uint32_t party : session.parties()) {
    const auto secret = rlwe::party_key(session, context, party, Seed::from_system());
    drawn.push_back(rlwe::first_share(session, party, secret, {}));
    commitments.push_back(rlwe::committed(drawn.back()));
  }
  const Digest all = rlwe::commitments_digest(session, commitments);
  for (const rlwe::KeyShare& share : drawn) {
    shares.emplace_back(context, session.digest(), share.party(), share.round(), all, share.bodies());
  }
  return {session, context, all_of(shares)};
}

value::EncryptedArray array_under(const rlwe::FirstRound& round) {
  value::Channels channels;
  channels.push_back(rlwe::encrypt_zero(round.public_key(), rlwe::PlainIndex(0), 1));
  return {{std::move(channels), value::Layout({degree}, degree, value::Placement::coefficients)},
          value::Bound::wrapping()};
}

/// A dealt share of the joint secret: of zeros, or uniform.
rlwe::SecretShare share_of(const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context, std::size_t which) {
  PolyArray share = context->make(context->ciphertext_ring(), 1, 1, Domain::transform, true);
  context->engine()->clear(share.view());
  if (which == 1) context->engine()->sample(share.view(), Law::uniform, Seed::from_system(), Stream::secret);
  return {context, session.digest(), 0, own, std::move(share)};
}

/// What a dealer sealed for a party, and what it showed in the open: of zeros, or of a dealing.
struct Packed {
  ZeroisingVector<std::uint8_t> bytes;
  std::vector<std::uint64_t> functionals;

  Packed(const rlwe::DealingPolynomials& dealt, const PublicSeed& challenge, std::size_t which)
      : bytes(dealt.packed_at(own)), functionals(dealt.functionals(challenge)) {
    if (which == 1) return;
    std::fill(bytes.begin(), bytes.end(), 0);
    std::fill(functionals.begin(), functionals.end(), 0);
  }
};

using CheckOne = std::function<void(const char*, const Operation&)>;

/// All three decrypt.
void check_all_of_three(const rlwe::ContextPtr& context, const CheckOne& check_one) {
  const Secrets secrets = Secrets::of(context, 3);
  const rlwe::FirstRound round = first_round(secrets.session, context);
  const value::EncryptedArray x = array_under(round);
  check_one("first share",
            [&](std::size_t c, std::size_t i) { keep(first_share(secrets.session, own, secrets.keys[c][i], {})); });
  check_one("second share", [&](std::size_t c, std::size_t i) { keep(second_share(round, own, secrets.keys[c][i])); });
  check_one("decryption share, all", [&](std::size_t c, std::size_t i) {
    keep(value::decryption_share(secrets.session, round.key(), own, secrets.keys[c][i], nullptr, x, {1, 2, 3},
                                 flooding_bits));
  });
}

/// Two of three decrypt, with what they were dealt.
void check_two_of_three(const rlwe::ContextPtr& context, const CheckOne& check_one) {
  const Secrets secrets = Secrets::of(context, 2);
  const rlwe::FirstRound round = first_round(secrets.session, context);
  const value::EncryptedArray x = array_under(round);
  const PublicSeed challenge = PublicSeed::publish(Seed::from_system());
  std::deque<rlwe::SecretShare> shares[2];
  std::deque<Packed> packed[2];
  for (const std::size_t c : {0, 1}) {
    for (std::size_t i = 0; i < copies; ++i) {
      shares[c].push_back(share_of(secrets.session, context, c));
      const rlwe::DealingPolynomials dealt(context, 2, secrets.keys[c][i].at_level(context->max_level()));
      packed[c].emplace_back(dealt, challenge, c);
    }
  }
  check_one("dealing", [&](std::size_t c, std::size_t i) {
    const rlwe::DealingPolynomials dealt(context, 2, secrets.keys[c][i].at_level(context->max_level()));
    keep(dealt.packed_at(2));
    keep(dealt.functionals(challenge));
  });
  check_one("checking what was dealt", [&](std::size_t c, std::size_t i) {
    const auto share = checked_share(context, 2, packed[c][i].bytes, own, challenge, packed[c][i].functionals);
    CHECK(share.has_value());
    keep(share);
  });
  check_one("decryption share, two of three", [&](std::size_t c, std::size_t i) {
    keep(value::decryption_share(secrets.session, round.key(), own, secrets.keys[1][0], &shares[c][i], x, {1, 2},
                                 flooding_bits));
  });
}

void check_parties(const rlwe::Scheme* kind, Word word, cpu::InstructionSet set) {
  const rlwe::ContextPtr context = scheme::make_context(parameters(kind, word), CpuEngine::create(1, set));
  const std::string where = message(kind->name(), " ", bits_of(word), " bits ", cpu::name_of(set), ": ");
  const CheckOne check_one = [&](const char* name, const Operation& operation) {
    CHECK(!leaks(where + name, operation, measurements));
  };
  check_all_of_three(context, check_one);
  check_two_of_three(context, check_one);
}

}  // namespace

TEST(a_branch_on_every_value_is_seen) { CHECK(dudect::sees_a_branch()); }

TEST(no_time_of_a_party_of_a_joint_key_depends_on_its_secret) {
  for (const auto set : cpu::instruction_sets()) {
    for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
      for (const Word word : {Word::u32, Word::u64}) check_parties(kind, word, set);
    }
  }
}

TEST(no_time_of_an_identity_depends_on_its_seed) {
  if (libcrypto::curves_state() != "ready") {
    std::printf("skipped: %s\n", libcrypto::curves_state().c_str());
    return;
  }
  const std::vector<std::uint8_t> text(4096, 7);
  std::deque<rlwe::Identity> identities[2];
  std::deque<std::vector<std::uint8_t>> sealed[2];
  for (const std::size_t c : {0, 1}) {
    for (std::size_t i = 0; i < copies; ++i) {
      identities[c].push_back(c == 1 ? rlwe::Identity::create() : rlwe::Identity(Seed(std::array<std::uint8_t, 32>{})));
      sealed[c].push_back(identities[c].back().public_identity().seal({}, text));
    }
  }
  CHECK(!leaks(
      "identity: sign", [&](std::size_t c, std::size_t i) { keep(identities[c][i].sign("timing", text)); },
      measurements));
  CHECK(!leaks(
      "identity: open", [&](std::size_t c, std::size_t i) { keep(identities[c][i].open({}, sealed[c][i])); },
      measurements));
}

int main() { return cyclotome::check::run(); }
