// SPDX-License-Identifier: Apache-2.0
// Paper 002's arithmetic on a GPU: every operation equals the CPU's bit for bit, at the paper's three sizes and a small
// one, with random operands and with p - 1 throughout. Needs a GPU; without one it says so and exits with 77, which
// CTest counts as skipped.
#include "cyclotome/engine/cuda/study/ltv_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "engines.hpp"
#include "ltv_operands.hpp"

using namespace cyclotome;
using namespace cyclotome::study::ltv;
using check::any_key;
using check::residues;

namespace {

constexpr std::uint64_t random_seed = 20150002;

bool equal(const Polynomial& a, const Polynomial& b) { return a.words == b.words && a.values == b.values; }

/// Whether every polynomial of a batch is what `expected` makes of the same operand.
template <class Expected>
bool all_equal(LtvEngine& engine, const LtvEngine::Batch& batch, const std::vector<Polynomial>& operands,
               Expected expected) {
  bool right = batch.items == operands.size();
  for (std::size_t i = 0; i < operands.size(); ++i) right = right && equal(engine.get(batch, i), expected(operands[i]));
  return right;
}

void check_set(const ParametersLiteral& literal) {
  const auto parameters = Parameters::create(literal);
  const Arithmetic& cpu = *parameters->arithmetic();
  const auto engine = LtvEngine::create(parameters->arithmetic());
  std::mt19937_64 random(random_seed);
  const SwitchingKey key = any_key(parameters, random);
  const auto device_key = engine->put(key);
  for (const std::size_t primes : {parameters->levels(), parameters->levels() - 1, std::size_t{1}}) {
    std::vector<Polynomial> a, b;
    for (int i = 0; i < 6; ++i) {  // more than one group of items that share a key
      a.push_back(residues(cpu, primes, i == 0, random));
      b.push_back(residues(cpu, primes, i < 2, random));
    }
    const auto x = engine->put(a), y = engine->put(b);
    const auto raw = engine->icrt(x), transformed = engine->ntt(x);
    CHECK(all_equal(*engine, raw, a, [&](const Polynomial& v) { return cpu.icrt(v); }));
    CHECK(all_equal(*engine, engine->crt(raw), a, [](const Polynomial& v) { return v; }));
    CHECK(all_equal(*engine, transformed, a, [&](const Polynomial& v) { return cpu.ntt(v); }));
    CHECK(all_equal(*engine, engine->intt(transformed), a, [&](const Polynomial& v) { return cpu.intt(cpu.ntt(v)); }));
    const auto sum = engine->add(x, y), product = engine->multiply(x, y);
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(equal(engine->get(sum, i), cpu.add(a[i], b[i])));
      CHECK(equal(engine->get(product, i), cpu.multiply(a[i], b[i])));
    }
    const auto relinearized = engine->relinearize(x, device_key);
    CHECK(all_equal(*engine, relinearized, a, [&](const Polynomial& v) {
      return relinearize(Ciphertext{parameters, {}, v, 2, 0}, key).polynomial;
    }));
    if (primes > 1) {
      CHECK(all_equal(*engine, engine->switched(x), a, [&](const Polynomial& v) { return cpu.switched(v); }));
    } else {
      CHECK_THROWS(ArgumentError, engine->switched(x));
    }
  }
}

TEST(every_operation_equals_the_cpu) {
  check_set({4, 4369, 25, 16, {}});
  check_set({3, 8191, 22, 16, {}});
  check_set({3, 21845, 25, 16, {}});
  check_set({2, 65535, 24, 16, {}});
}

TEST(what_does_not_fit_is_refused) {
  CHECK_THROWS(ParameterError, LtvEngine::create(Parameters::create({2, 105, 20, 8, {}})->arithmetic()));
  const auto parameters = Parameters::create({2, 4369, 25, 16, {}});
  const auto other = Parameters::create({3, 4369, 25, 16, {}});
  const auto engine = LtvEngine::create(parameters->arithmetic());
  std::mt19937_64 random(random_seed);
  const std::vector<Polynomial> one{residues(engine->arithmetic(), 2, false, random)};
  const std::vector<Polynomial> lower{residues(engine->arithmetic(), 1, false, random)};
  const auto x = engine->put(one), y = engine->put(lower);
  CHECK_THROWS(MismatchError, engine->add(x, y));
  CHECK_THROWS(ArgumentError, engine->crt(x));
  CHECK_THROWS(ArgumentError, engine->intt(x));
  CHECK_THROWS(ArgumentError, engine->barrett(x));
  CHECK_THROWS(MismatchError, engine->put(any_key(other, random)));
  CHECK_THROWS(ArgumentError, engine->get(x, 1));
}

}  // namespace

int main() { return check::run_on_device(); }
