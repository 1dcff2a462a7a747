// SPDX-License-Identifier: Apache-2.0
// An engine that only keeps account: the same programs on it and on a real one have the same bounds, levels and
// refusals, and what was uploaded is there.

#include "check.hpp"
#include "cyclotome/engine/dry/dry_engine.hpp"
#include "cyclotome/engine/dry/repeat.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "value_party.hpp"

namespace {

using namespace cyclotome;
using check::ValueParty;
using value::EncryptedArray;
using value::Integers;

using Numbers = std::vector<std::int64_t>;

/// Keys of the same parameters on an engine of its own.
struct DryParty {
  std::shared_ptr<DryEngine> engine = DryEngine::create(CpuEngine::create(1));
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey key;
  rlwe::EvaluationKeys evaluation;

  explicit DryParty(const ValueParty& like)
      : context(scheme::make_context(like.context->parameters(), engine)),
        secret(rlwe::deterministic::generate_secret_key(context, check::seed(1))),
        key(rlwe::deterministic::generate_public_key(secret, check::seed(2))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(
            secret, true, rlwe::slot_sum_elements(RingShape::negacyclic(ValueParty::degree)->galois()),
            check::seed(3))) {}

  EncryptedArray encrypted(const Integers& values, const value::Encryption& how) const {
    return value::encrypt(values, key, how).with_keys(evaluation);
  }
};

template <class Compute>
void alike(const ValueParty& real, const Compute& compute) {
  const DryParty dry(real);
  const EncryptedArray expected = compute(real), got = compute(dry);
  CHECK_EQ(got.noise_headroom(), expected.noise_headroom());
  CHECK_EQ(got.level(), expected.level());
  CHECK(got.bound() == expected.bound());
  CHECK(got.shape() == expected.shape());
}

}  // namespace

TEST(bounds_levels_and_noise_are_those_of_a_real_engine) {
  const ValueParty bfv(&bfv::scheme(), {65537}, 6), bgv(&bgv::scheme(), {65537}, 8);
  for (const ValueParty* const party : {&bfv, &bgv}) {
    alike(*party, [](const auto& keys) {
      const EncryptedArray x = keys.encrypted(Numbers{3, 4}, {.bound = 5});
      return value::sum(x * Integers{7, -3} + x * x);
    });
    alike(*party, [](const auto& keys) {
      const EncryptedArray x = keys.encrypted(Numbers{3, 4}, {.bound = 5});
      return value::less(x, keys.encrypted(Numbers{4, 4}, {.bound = 5}));
    });
    alike(*party, [](const auto& keys) {
      const EncryptedArray x = keys.encrypted(Integers({2, 3}, Numbers{1, 2, 3, 4, 5, 6}), {.bound = 6});
      return value::matmul(Integers({2, 2}, Numbers{1, -2, 3, 4}), x);
    });
  }
}

TEST(an_account_of_products_and_depth) {
  const ValueParty real(&bfv::scheme(), {65537}, 8);
  const DryParty dry(real);
  const EncryptedArray x = dry.encrypted(Numbers{1, 2}, {.bound = 2});
  dry.engine->reset();
  CHECK_EQ(dry.engine->depth(), 0U);
  const EncryptedArray y = x * x * x;
  CHECK_EQ(dry.engine->depth(), 2U);
  CHECK_EQ((x + y).shape().size(), 1U);
  CHECK_EQ(dry.engine->depth(), 2U);
  const Account account = dry.engine->account();
  CHECK_EQ(account.at("bfv.multiply").calls, 2U);
  CHECK_EQ(account.at("relinearize").calls, 1U);  // what nothing wants two parts of waits
  CHECK(account.at("bfv.multiply").work.transforms > 0);
  CHECK(dry.engine->has_read(dry.evaluation.relinearization().polynomials().view().data));
  for (const auto& [element, key] : dry.evaluation.all_galois()) {
    CHECK(!dry.engine->has_read(key.polynomials().view().data));
  }
}

TEST(noise_is_refused_as_on_a_real_engine) {
  const ValueParty real(&bfv::scheme(), {65537}, 2);
  const DryParty dry(real);
  const auto deep = [](const auto& keys) {
    EncryptedArray x = keys.encrypted(Numbers{1}, {.bound = 1});
    for (int i = 0; i < 20; ++i) x = x * x;
    return x;
  };
  CHECK_THROWS_WITH(NoiseError, deep(real), "could not be decrypted");
  CHECK_THROWS_WITH(NoiseError, deep(dry), "could not be decrypted");
}

TEST(what_hides_nothing_is_refused_as_on_a_real_engine) {
  using Arrays = std::vector<EncryptedArray>;
  const auto bare = [](const EncryptedArray& x, const auto& keys) {
    value::Keyring ring;  // without the public key, by which such results are encrypted anew
    ring.evaluation = std::make_shared<const rlwe::EvaluationKeys>(keys.evaluation);
    return EncryptedArray(x.placed(), x.bound(), ring);
  };
  const auto outcome = [&](const auto& keys, const auto& compute) {
    const EncryptedArray x = bare(keys.encrypted(Integers({2, 3}, Numbers{1, 2, 3, 4, 5, 6}), {.bound = 6}), keys);
    const EncryptedArray y = bare(keys.encrypted(Integers({2, 3}, Numbers{1, 2, 3, 4, 5, 6}), {.bound = 6}), keys);
    try {
      static_cast<void>(compute(x, y));
    } catch (const TransparentError&) {
      return std::string("transparent");
    }
    return std::string("hidden");
  };
  const ValueParty bfv(&bfv::scheme(), {65537}, 8), bgv(&bgv::scheme(), {65537}, 10);
  const auto same = [&](const std::string& expected, const auto& compute) {
    for (const ValueParty* const real : {&bfv, &bgv}) {
      CHECK_EQ(outcome(*real, compute), expected);
      CHECK_EQ(outcome(DryParty(*real), compute), expected);
    }
  };
  using A = const EncryptedArray&;
  same("transparent", [](A x, A) { return x - x; });
  same("hidden", [](A x, A y) { return x - y; });
  same("transparent", [](A x, A) { return value::multiply(x, 0); });
  same("transparent", [](A x, A) { return x * Integers({3}, Numbers{0, 0, 0}); });
  same("hidden", [](A x, A) { return x * Integers({3}, Numbers{0, 1, 0}); });
  same("transparent", [](A x, A) { return x + x - value::multiply(x, 2); });
  same("hidden", [](A x, A) { return x + x - value::multiply(x, 3); });
  same("transparent", [](A x, A y) { return x * y - x * y; });
  same("hidden", [](A x, A y) { return x * y - x * x; });
  // The second product finds x transformed, by another program than the first.
  same("transparent",
       [](A x, A) { return x * Integers({3}, Numbers{2, 1, -2}) - x * Integers({3}, Numbers{2, 1, -2}); });
  same("hidden", [](A x, A) { return x * Integers({3}, Numbers{2, 1, -2}) - x * Integers({3}, Numbers{2, 1, -3}); });
  same("transparent", [](A x, A y) { return (x + y) * y - (y + x) * y; });
  same("transparent", [](A x, A y) {
    const Integers w({3}, Numbers{2, 1, -2});
    return (x + y) * w - x * w - y * w;
  });
  same("transparent", [](A x, A) { return (x + 1) - x; });
  same("transparent", [](A x, A) { return value::matmul(Integers({2, 2}, Numbers{1, 1, 0, 0}), x); });
  same("transparent", [](A x, A) { return value::subtract(x, value::negate(value::negate(x))); });
  same("transparent", [](A x, A) { return value::sum(value::concatenate(Arrays{x, value::negate(x)}, 0), 0); });
  same("hidden", [](A x, A) { return value::sum(value::concatenate(Arrays{x, x}, 0), 0); });
}

TEST(work_by_its_kind_can_be_done_again) {
  const ValueParty real(&bfv::scheme(), {65537}, 8);
  const DryParty dry(real);
  const EncryptedArray x = dry.encrypted(Numbers{1, 2}, {.bound = 2});
  dry.engine->reset();
  const EncryptedArray forgotten = x + x;
  CHECK(dry.engine->asked().empty());  // nobody asked for it
  dry.engine->remember(true);
  dry.engine->reset();
  const EncryptedArray sum = x + x + x;
  const std::vector<Asked> asked = dry.engine->asked();
  CHECK_EQ(asked.size(), 1U);
  CHECK_EQ(asked[0].calls, 2U);
  CHECK_EQ(asked[0].work.words, dry.engine->account().at("add").work.words);
  CHECK(dry.engine->own_nanoseconds() >= 0);
  const EnginePtr cpu = real.context->engine();
  Repeat repeat(asked[0], cpu, 1);
  CHECK_EQ(repeat.times(), 2.0);
  CHECK(repeat.run(3) > 0);
  Asked other = asked[0];
  other.items = 1000;
  CHECK(other.digest() != asked[0].digest());
  other.verb = nullptr;
  CHECK(!other.repeatable());
  CHECK_THROWS_WITH(ArgumentError, Repeat(other, cpu, 1), "is not done again");
}

int main() { return check::run(); }
