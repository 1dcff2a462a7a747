// SPDX-License-Identifier: Apache-2.0
// Seeds: one that was used is refused, and even the same 32 bytes given to everything that draws, in every combination
// of keys, parameters and plaintext moduli, make things that have no randomness in common.
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <type_traits>

#include "auditing_engine.hpp"
#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "party.hpp"

using namespace cyclotome;
using check::seed;
using rlwe::Ciphertext;

namespace {

using Bytes = std::array<std::uint8_t, 32>;
using Row = std::vector<std::uint64_t>;

rlwe::ParametersLiteral literal(const rlwe::Scheme* kind, Word word, std::size_t special_primes) {
  auto p = check::literal(word, special_primes);
  p.scheme = kind;
  p.plain_moduli = {check::plain_modulus, 786433};
  return p;
}

/// A key's owner on an engine that keeps account of seeds. Draws `secret` itself, or takes another's, id and all.
struct World {
  std::shared_ptr<check::AuditingEngine> engine = std::make_shared<check::AuditingEngine>();
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey key;

  explicit World(const rlwe::ParametersLiteral& p)
      : context(scheme::make_context(rlwe::Parameters(p), engine)),
        secret(rlwe::SecretKey::generate(context)),
        key(rlwe::PublicKey::generate(secret)) {
    engine->take_seeds();
  }
  World(const rlwe::ParametersLiteral& p, const World& other, const rlwe::KeyId& id)
      : context(scheme::make_context(rlwe::Parameters(p), engine)),
        secret(rlwe::SecretKey::from_coefficients(context, other.secret.coefficients(), id)),
        key(rlwe::PublicKey::generate(secret)) {
    engine->take_seeds();
  }

  rlwe::Plaintext zeros(std::size_t plain) const {
    const std::vector<std::int64_t> values(context->degree());
    return encode_residues(context, rlwe::PlainIndex(plain), Encoding::Kind::coefficients, values, 1, values.size());
  }
  /// s^2, as keys are made for it.
  PolyArray square() const {
    PolyArray target = context->make(context->key_ring(), 1, 1, Domain::transform, true);
    engine->multiply(target.view(), secret.over_key_ring(), secret.over_key_ring());
    return target;
  }
};

using Draw = std::function<void(const World&, Seed&&)>;

/// Everything that draws, by name: with a seed.
std::map<std::string, Draw> draws() {
  namespace keys = rlwe::deterministic;
  std::map<std::string, Draw> all = {
      {"secret key", [](const World& w, Seed&& s) { keys::generate_secret_key(w.context, std::move(s)); }},
      {"public key", [](const World& w, Seed&& s) { keys::generate_public_key(w.secret, std::move(s)); }},
      {"key-switching key",
       [](const World& w, Seed&& s) { keys::generate_switching_key(w.secret, w.square().view(), std::move(s)); }},
      {"relinearisation key",
       [](const World& w, Seed&& s) { keys::generate_evaluation_keys(w.secret, true, {}, std::move(s)); }},
      {"Galois key 3",
       [](const World& w, Seed&& s) { keys::generate_evaluation_keys(w.secret, false, {3}, std::move(s)); }},
      {"Galois key 9",
       [](const World& w, Seed&& s) { keys::generate_evaluation_keys(w.secret, false, {9}, std::move(s)); }},
  };
  for (const std::size_t plain : {0, 1}) {
    const auto add = [&](const std::string& name, const Draw& draw) { all[name + std::to_string(plain)] = draw; };
    const auto zero = [plain](const World& w) { return rlwe::encrypt_zero(w.key, rlwe::PlainIndex(plain), 1); };
    add("encryption ",
        [plain](const World& w, Seed&& s) { scheme::deterministic::encrypt(w.zeros(plain), w.key, std::move(s)); });
    add("symmetric encryption ",
        [plain](const World& w, Seed&& s) { scheme::deterministic::encrypt(w.zeros(plain), w.secret, std::move(s)); });
    add("zero ",
        [plain](const World& w, Seed&& s) { keys::encrypt_zero(w.key, rlwe::PlainIndex(plain), 1, std::move(s)); });
    add("symmetric zero ",
        [plain](const World& w, Seed&& s) { keys::encrypt_zero(w.secret, rlwe::PlainIndex(plain), 1, std::move(s)); });
    add("rerandomisation ", [zero](const World& w, Seed&& s) {
      const Ciphertext a = zero(w);
      w.engine->take_seeds();
      scheme::deterministic::rerandomize(a, w.key, std::move(s));
    });
    add("flooding ", [zero](const World& w, Seed&& s) {
      const Ciphertext a = zero(w);
      w.engine->take_seeds();
      scheme::deterministic::reveal(a, w.secret, 8, std::move(s));
    });
  }
  return all;
}

/// The same without a seed.
std::map<std::string, std::function<void(const World&)>> public_draws() {
  return {
      {"secret key", [](const World& w) { rlwe::SecretKey::generate(w.context); }},
      {"public key", [](const World& w) { rlwe::PublicKey::generate(w.secret); }},
      {"key-switching key", [](const World& w) { rlwe::SwitchingKey::generate(w.secret, w.square().view()); }},
      {"evaluation keys", [](const World& w) { rlwe::EvaluationKeys::generate(w.secret, true, {3}); }},
      {"encryption", [](const World& w) { scheme::encrypt(w.zeros(0), w.key); }},
      {"symmetric encryption", [](const World& w) { scheme::encrypt(w.zeros(0), w.secret); }},
      {"zero", [](const World& w) { rlwe::encrypt_zero(w.key, rlwe::PlainIndex(0), 1); }},
      {"symmetric zero", [](const World& w) { rlwe::encrypt_zero(w.secret, rlwe::PlainIndex(0), 1); }},
      {"rerandomisation",
       [](const World& w) { scheme::rerandomize(rlwe::encrypt_zero(w.key, rlwe::PlainIndex(0), 1), w.key); }},
      {"flooding",
       [](const World& w) { scheme::reveal(rlwe::encrypt_zero(w.key, rlwe::PlainIndex(0), 1), w.secret, 8); }},
  };
}

/// Worlds with one secret that differ from the first in one thing each: the key's id, the order of the plaintext
/// moduli, the security table. Residues have the same shapes and moduli in all of them.
std::vector<std::pair<std::string, World>> worlds(const rlwe::ParametersLiteral& p) {
  auto turned = p, other_table = p;
  std::swap(turned.plain_moduli[0], turned.plain_moduli[1]);
  other_table.table = rlwe::SecurityTable::he_standard_2018;
  World first(p);
  World renamed(p, first, {1, 2, 3}), reordered(turned, first, first.secret.id()),
      relabelled(other_table, first, first.secret.id());
  std::vector<std::pair<std::string, World>> all;
  all.emplace_back("the first world", std::move(first));
  all.emplace_back("another key id", std::move(renamed));
  all.emplace_back("plaintext moduli in another order", std::move(reordered));
  all.emplace_back("another security table", std::move(relabelled));
  return all;
}

TEST(nothing_that_is_drawn_from_one_seed_shares_randomness) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    for (const std::size_t special_primes : {0, 1}) {
      const auto all = worlds(literal(kind, Word::u64, special_primes));
      std::map<Bytes, std::string> taken = {{seed(1).bytes(), "the master seed itself"}};
      for (const auto& [world, w] : all) {
        for (const auto& [name, draw] : draws()) {
          // A secret key is made before there is an id, and is the same for all worlds of equal parameters.
          if (name == "secret key" && world == "another key id") continue;
          draw(w, seed(1));
          const auto seeds = w.engine->take_seeds();
          CHECK(!seeds.empty());
          for (const Bytes& bytes : seeds) {
            const auto [found, fresh] = taken.emplace(bytes, name + " of " + world);
            if (!fresh) std::cout << name << " of " << world << " draws from the seed of " << found->second << '\n';
            CHECK(fresh);
          }
        }
      }
    }
  }
}

TEST(public_functions_draw_from_the_system) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    const World w(literal(kind, Word::u32, 1));
    std::set<Bytes> taken;
    std::size_t count = 0;
    for (int round = 0; round < 2; ++round) {
      for (const auto& [name, draw] : public_draws()) {
        draw(w);
        const auto seeds = w.engine->take_seeds();
        CHECK(!seeds.empty());
        count += seeds.size();
        taken.insert(seeds.begin(), seeds.end());
      }
    }
    CHECK_EQ(taken.size(), count);
  }
}

/// Residues of one part, limb by limb, in the coefficient domain.
std::vector<Row> limbs_of(const PolyArray& array, std::size_t item, std::size_t part) {
  PolyArray copy = array.clone();
  copy.to_coefficient();
  const auto all = copy.to_host();
  const std::size_t n = array.degree();
  std::vector<Row> rows;
  for (std::size_t l = 0; l < array.limbs(); ++l) {
    const auto from =
        all.begin() + static_cast<std::ptrdiff_t>(((item * array.parts() + part) * array.limbs() + l) * n);
    rows.emplace_back(from, from + static_cast<std::ptrdiff_t>(n));
  }
  return rows;
}

/// The largest coefficient of a - b modulo q, centred.
std::uint64_t distance(const Row& a, const Row& b, std::uint64_t q) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t d = (a[i] + q - b[i]) % q;
    largest = std::max(largest, std::min(d, q - d));
  }
  return largest;
}

/// What one seed leaked: the square of the secret by subtracting a public key from a switching key, and the difference
/// of two messages by subtracting their ciphertexts.
TEST(differences_of_what_one_seed_made_tell_nothing) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    const World w(literal(kind, Word::u64, 1));
    namespace keys = rlwe::deterministic;
    const PolyArray square = w.square();
    const auto key = keys::generate_public_key(w.secret, seed(1));
    const auto evaluation = keys::generate_evaluation_keys(w.secret, true, {3, 9}, seed(1));
    const auto switching = keys::generate_switching_key(w.secret, square.view(), seed(1));
    const std::vector<const PolyArray*> pairs = {
        &key.polynomials(), &switching.polynomials(), &evaluation.relinearization().polynomials(),
        &evaluation.galois(3).polynomials(), &evaluation.galois(9).polynomials()};
    const Basis& basis = w.context->key_ring()->basis();
    // Two uniform polynomials modulo a prime of 50 bits are this close in all coefficients with probability < 2^-9000.
    const std::uint64_t close = std::uint64_t{1} << 40;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (const std::size_t part : {0, 1}) {
          const auto a = limbs_of(*pairs[i], 0, part), b = limbs_of(*pairs[j], 0, part);
          for (std::size_t l = 0; l < a.size(); ++l) CHECK(distance(a[l], b[l], basis[l]) > close);
        }
      }
    }
    std::vector<Ciphertext> ciphertexts;
    for (const std::size_t plain : {0, 1}) {
      ciphertexts.push_back(scheme::deterministic::encrypt(w.zeros(plain), w.key, seed(1)));
      ciphertexts.push_back(scheme::deterministic::encrypt(w.zeros(plain), w.secret, seed(1)));
      ciphertexts.push_back(keys::encrypt_zero(w.key, rlwe::PlainIndex(plain), 1, seed(1)));
      ciphertexts.push_back(keys::encrypt_zero(w.secret, rlwe::PlainIndex(plain), 1, seed(1)));
    }
    const Basis& q = w.context->ciphertext_ring()->basis();
    for (std::size_t i = 0; i < ciphertexts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (const std::size_t part : {0, 1}) {
          const auto a = limbs_of(ciphertexts[i].polynomials(), 0, part);
          const auto b = limbs_of(ciphertexts[j].polynomials(), 0, part);
          for (std::size_t l = 0; l < a.size(); ++l) CHECK(distance(a[l], b[l], q[l]) > close);
        }
      }
    }
  }
}

TEST(a_spent_seed_is_refused_by_everything) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    const World w(literal(kind, Word::u32, 1));
    for (const auto& [name, draw] : draws()) {
      Seed once = seed(1);
      draw(w, std::move(once));
      CHECK(once.spent());
      CHECK_THROWS_WITH(ArgumentError, draw(w, std::move(once)), "used already");
    }
  }
}

TEST(a_seed_is_spent_by_calls_that_fail) {
  const World w(literal(&bfv::scheme(), Word::u32, 1)), stranger(literal(&bgv::scheme(), Word::u32, 1));
  const auto spends = [](const auto& call) {
    Seed once = seed(1);
    bool failed = false;
    try {
      call(std::move(once));
    } catch (const Error&) {
      failed = true;
    }
    return failed && once.spent();
  };
  const Ciphertext loud = rlwe::encrypt_zero(w.key, rlwe::PlainIndex(0), 1);
  CHECK(spends([&](Seed&& s) { scheme::deterministic::encrypt(stranger.zeros(0), w.key, std::move(s)); }));
  CHECK(spends([&](Seed&& s) { scheme::deterministic::encrypt(stranger.zeros(0), w.secret, std::move(s)); }));
  CHECK(spends([&](Seed&& s) { rlwe::deterministic::generate_evaluation_keys(w.secret, false, {2}, std::move(s)); }));
  CHECK(spends([&](Seed&& s) { scheme::deterministic::rerandomize(loud, stranger.key, std::move(s)); }));
  CHECK(spends([&](Seed&& s) { scheme::deterministic::reveal(loud, w.secret, 0, std::move(s)); }));
}

template <class... Arguments>
constexpr bool takes(auto function) {
  return std::is_invocable_v<decltype(function), Arguments...>;
}

TEST(seeds_move_and_are_never_copied) {
  static_assert(!std::is_copy_constructible_v<Seed> && !std::is_copy_assignable_v<Seed>);
  static_assert(!std::is_default_constructible_v<Seed> && !std::is_convertible_v<PublicSeed, Seed>);
  static_assert(!std::is_constructible_v<PublicSeed, const Seed&>);
  static_assert(takes<const rlwe::SecretKey&, Seed>(&rlwe::deterministic::generate_public_key));
  static_assert(!takes<const rlwe::SecretKey&, Seed&>(&rlwe::deterministic::generate_public_key));
  static_assert(!takes<const rlwe::SecretKey&, Seed>(&rlwe::PublicKey::generate));

  Seed a = seed(1);
  Seed b = std::move(a);
  CHECK(a.spent() && !b.spent());
  CHECK(b.bytes() == seed(1).bytes());
  Bytes left{};
  std::memcpy(left.data(), static_cast<const void*>(&a), left.size());
  CHECK(left == Bytes{});
  CHECK_THROWS_WITH(ArgumentError, a.bytes(), "used already");
  CHECK_THROWS_WITH(ArgumentError, a.words(), "Seed::from_system()");
  CHECK_THROWS(ArgumentError, PublicSeed::publish(a));
  const Seed again = std::move(a);  // a spent seed does not come back to life
  CHECK(again.spent());
  a = seed(2);
  CHECK(!a.spent() && a.bytes() == seed(2).bytes());
  Seed& same = a;
  a = std::move(same);
  CHECK(!a.spent() && a.bytes() == seed(2).bytes());
  a = std::move(b);
  CHECK(b.spent() && a.bytes() == seed(1).bytes());
  const auto engine = CpuEngine::create(1);
  PolyArray out(engine, Ring::negacyclic(64, Basis(Word::u32, {97})), 1, 1);
  CHECK_THROWS_WITH(ArgumentError, engine->sample(out.view(), Law::uniform, b, Stream::secret), "used already");
}

TEST(published_seeds_are_neither_master_nor_error_seeds) {
  const World w(literal(&bfv::scheme(), Word::u32, 1));
  const auto key = rlwe::deterministic::generate_public_key(w.secret, seed(1));
  const auto symmetric = scheme::deterministic::encrypt(w.zeros(0), w.secret, seed(1));
  const auto seeds = w.engine->take_seeds();
  CHECK_EQ(seeds.size(), 4u);  // a uniform and an error half each
  CHECK(seeds.contains(key.uniform_seed()->bytes()) && seeds.contains(symmetric.uniform_seed()->bytes()));
  CHECK(*key.uniform_seed() != *symmetric.uniform_seed() && !seeds.contains(seed(1).bytes()));
}

}  // namespace

int main() { return check::run(); }
