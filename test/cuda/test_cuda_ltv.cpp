// SPDX-License-Identifier: Apache-2.0
// Paper 002's arithmetic on a GPU: every operation equals the CPU's bit for bit, at the paper's three sizes and a small
// one, with random operands and with p - 1 throughout. Needs a GPU; without one it says so and exits with 77, which
// CTest counts as skipped.
#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/engine/cuda/study/ltv_batch_engine.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/circuit/ltv_algebra.hpp"
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

/// Operations on polynomials that lie in two batches, in any order.
void check_members(LtvEngine& engine, const std::vector<Polynomial>& a, const std::vector<Polynomial>& b,
                   const LtvEngine::Batch& x, const LtvEngine::Batch& y) {
  const Arithmetic& cpu = engine.arithmetic();
  const std::vector<LtvEngine::Item> left = {{&x, 5}, {&y, 0}, {&x, 0}, {&x, 0}},
                                     right = {{&y, 1}, {&y, 0}, {&x, 0}, {&y, 3}};
  const auto of = [&](const LtvEngine::Item& item) { return (item.batch == &x ? a : b)[item.number]; };
  const auto product = [&](std::size_t i) { return cpu.multiply(of(left[i]), of(right[i])); };
  const auto p = engine.ntt(left), q = engine.ntt(right);
  std::vector<LtvEngine::Item> first, second;
  for (std::size_t i = 0; i < left.size(); ++i) first.push_back({&p, i}), second.push_back({&q, i});
  const auto products = engine.products(first, second);
  const auto each = engine.reduced(products), pairs = engine.reduced(products, 2);
  for (std::size_t i = 0; i < left.size(); ++i) CHECK(equal(engine.get(each, i), product(i)));
  for (std::size_t i = 0; i < 2; ++i) CHECK(equal(engine.get(pairs, i), cpu.add(product(2 * i), product(2 * i + 1))));
  const auto sums = engine.sums(left, 2, {true, false});
  Polynomial one = cpu.of_small(std::vector<std::int64_t>(cpu.degree()), x.primes);
  for (std::size_t j = 0; j < x.primes; ++j) one.words[j * cpu.degree()] = 1;
  CHECK(equal(engine.get(sums, 0), cpu.add(cpu.add(of(left[0]), of(left[1])), one)));
  CHECK(equal(engine.get(sums, 1), cpu.add(of(left[2]), of(left[3]))));
  if (x.primes == 1) return;
  const auto lower = engine.lowered(x, {true, false, true, false, false, true});
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(equal(engine.get(lower, i),
                i % 2 == (i > 3 ? 1 : 0) ? cpu.switched(a[i]) : cpu.restricted(a[i], x.primes - 1)));
  }
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
    const auto summed = engine->relinearize(x, device_key, LtvEngine::Reduction::sums);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(equal(engine->get(summed, i), engine->get(relinearized, i)));
    check_members(*engine, a, b, x, y);
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

/// More terms than a launch names.
TEST(long_sums_equal_the_cpu) {
  const auto parameters = Parameters::create({2, 4369, 25, 16, {}});
  const auto engine = LtvEngine::create(parameters->arithmetic());
  std::mt19937_64 random(random_seed);
  std::vector<Polynomial> a;
  for (int i = 0; i < 3; ++i) a.push_back(residues(engine->arithmetic(), 2, i == 0, random));
  const auto x = engine->put(a);
  for (const std::size_t group : {439U, 440U, 441U, 1000U}) {
    std::vector<LtvEngine::Item> terms;
    std::vector<Polynomial> expected;
    for (std::size_t i = 0; i < 2 * group; ++i) {
      terms.push_back({&x, i % 3});
      if (i % group == 0) expected.push_back(a[i % 3]);
      if (i % group != 0) expected.back() = engine->arithmetic().add(expected.back(), a[i % 3]);
    }
    const auto sums = engine->sums(terms, group, {false, false});
    for (std::size_t i = 0; i < 2; ++i) CHECK(equal(engine->get(sums, i), expected[i]));
  }
}

using Ports = std::vector<std::vector<Ciphertext>>;

Ports computed(const circuit::Circuit& circuit, const BatchEnginePtr& engine, const Ports& inputs) {
  const study::LtvAlgebra algebra(engine);
  std::vector<circuit::BatchPtr> batches;
  for (const auto& input : inputs) batches.push_back(algebra.batch(input));
  Ports outputs;
  for (const auto& output : study::compute(circuit, algebra, batches)) outputs.push_back(algebra.ciphertexts(*output));
  return outputs;
}

bool same(const Ports& a, const Ports& b) {
  bool all = a.size() == b.size();
  for (std::size_t i = 0; all && i < a.size(); ++i) {
    all = a[i].size() == b[i].size();
    for (std::size_t k = 0; all && k < a[i].size(); ++k) {
      all = equal(a[i][k].polynomial, b[i][k].polynomial) && a[i][k].polynomial.primes == b[i][k].polynomial.primes &&
            a[i][k].key_power == b[i][k].key_power && a[i][k].log2_phase == b[i][k].log2_phase;
    }
  }
  return all;
}

/// Residues and estimates. Inputs at two levels, so that some are divided and some reduced.
TEST(circuits_equal_the_cpus) {
  const auto parameters = Parameters::create({7, 4369, 25, 16, {}});
  std::mt19937_64 random(random_seed);
  const SwitchingKey key = any_key(parameters, random);
  const auto on_device = ltv_batch_engine(LtvEngine::create(parameters->arithmetic()), key);
  const auto check_circuit = [&](const circuit::Circuit& circuit) {
    Ports inputs;
    for (const auto& port : circuit.inputs()) {
      inputs.push_back(check::any_ciphertexts(key, port.wires.size(), random));
      if (inputs.size() == 2) inputs.back()[3] = reduce_to(inputs.back()[3], 1);
    }
    const Ports expected = computed(circuit, host_batch_engine(key), inputs);
    CHECK(same(computed(circuit, on_device, inputs), expected));
    CHECK(same(computed(circuit, on_device, inputs), expected));  // transforms of the first run are gone
  };
  check_circuit(circuit::prince_layers(1, 2));
  check_circuit(circuit::sort_circuit({.count = 4, .bits = 2}));
}

TEST(one_wrong_twiddle_is_noticed) {
  const auto parameters = Parameters::create({3, 4369, 25, 16, {}});
  std::mt19937_64 random(random_seed);
  const SwitchingKey key = any_key(parameters, random);
  const circuit::Circuit circuit = circuit::prince_layers(1, 1);
  Ports inputs;
  for (const auto& port : circuit.inputs()) inputs.push_back(check::any_ciphertexts(key, port.wires.size(), random));
  const Ports expected = computed(circuit, host_batch_engine(key), inputs);
  const std::vector<std::uint64_t>& right = parameters->arithmetic()->transform().twiddles();
  for (const std::size_t wrong : {std::size_t{1}, std::size_t{126}, std::size_t{63 * 63 * 2}}) {
    std::vector<std::uint64_t> twiddles = right;
    twiddles[wrong] = carrier::add(twiddles[wrong], 1);
    const auto engine = LtvEngine::create(parameters->arithmetic(), 0, twiddles);
    CHECK(!same(computed(circuit, ltv_batch_engine(engine, key), inputs), expected));
  }
  const auto engine = LtvEngine::create(parameters->arithmetic(), 0, right);
  CHECK(same(computed(circuit, ltv_batch_engine(engine, key), inputs), expected));
}

TEST(what_memory_does_not_hold_is_refused_before_work) {
  const auto parameters = Parameters::create({3, 4369, 25, 16, {}});
  std::mt19937_64 random(random_seed);
  const SwitchingKey key = any_key(parameters, random);
  const auto engine = LtvEngine::create(parameters->arithmetic());
  const auto batches = ltv_batch_engine(engine, key);
  const circuit::Circuit circuit = circuit::prince_layers(1, 1);
  Ports inputs;
  for (const auto& port : circuit.inputs()) inputs.push_back(check::any_ciphertexts(key, port.wires.size(), random));
  set_memory_limit(engine->memory(false).held + (std::uint64_t{1} << 30));
  CHECK_THROWS(MemoryLimitError, computed(circuit, batches, inputs));
  set_memory_limit(std::nullopt);
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
  const std::vector<LtvEngine::Item> both = {{&x, 0}, {&y, 0}}, beyond = {{&x, 1}}, same_item = {{&x, 0}};
  CHECK_THROWS(MismatchError, engine->sums(both, 1, {false, false}));
  CHECK_THROWS(MismatchError, engine->ntt(beyond));
  CHECK_THROWS(ArgumentError, engine->sums(same_item, 2, {false}));
  CHECK_THROWS(ArgumentError, engine->products(same_item, same_item));
  CHECK_THROWS(ArgumentError, engine->reduced(x));
  CHECK_THROWS(ArgumentError, engine->lowered(x, {true, true}));
  std::vector<Polynomial> digits;
  for (unsigned t = 0; t < parameters->digits(2); ++t)
    digits.push_back(residues(engine->arithmetic(), 2, false, random));
  CHECK_THROWS(MissingKeyError, ltv_batch_engine(engine, SwitchingKey::restore(parameters, {}, 2, digits)));
}

}  // namespace

int main() { return check::run_on_device(); }
