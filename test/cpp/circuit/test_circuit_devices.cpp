// SPDX-License-Identifier: Apache-2.0
// Circuits on several devices and in several sections: results are those of one device and one section, residue by
// residue.

#include <algorithm>
#include <iostream>
#include <mutex>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "cyclotome/circuit/ciphertext_algebra.hpp"
#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/circuit/outlook.hpp"
#include "cyclotome/circuit/writer.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "small_party.hpp"

namespace {

using namespace cyclotome;
using check::Residues;
using check::small_literal;
using check::SmallParty;
using circuit::Batch;
using circuit::BatchPtr;
using circuit::Facts;
using circuit::Place;
using rlwe::Ciphertext;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// Values of one device, as a level and a correction factor have them.
struct Located final : Batch {
  Located(Residues v, const Facts& f, std::size_t d) : values(std::move(v)), facts(f), device(d) {}
  Residues values;
  Facts facts;
  std::size_t device;
};

/// Values modulo t as BGV has them: multiples by a correction factor, which a level switch changes and a product
/// multiplies. Refuses whatever lies on another device, or does not stand alike.
class Locating final : public circuit::Algebra {
 public:
  Locating(std::uint64_t t, std::size_t device, std::size_t at_once) : t_(t), device_(device), at_once_(at_once) {}

  BatchPtr batch(const Residues& values, std::size_t level) const { return made(values, 2, level, 1); }
  static const Located& of(const Batch& a) { return dynamic_cast<const Located&>(a); }
  Residues opened(const Batch& a) const {
    Residues values = here(a).values;
    for (auto& value : values) value = value * inverse_or_zero(here(a).facts.correction, t_) % t_;
    return values;
  }
  mutable std::size_t products = 0, keys = 0;

  std::uint64_t modulus() const override { return t_; }
  Facts facts(const Batch& a) const override { return here(a).facts; }
  std::size_t items_at_once() const override { return at_once_; }
  BatchPtr gather(std::span<const Place> places) const override {
    Residues values;
    std::size_t parts = 2;
    const Facts& head = here(*places[0].batch).facts;
    for (const Place& place : places) {
      const Located& source = here(*place.batch);
      require(source.facts.level == head.level && source.facts.correction == head.correction, "gather: unlike");
      values.push_back(source.values.at(place.item));
      parts = std::max(parts, source.facts.parts);
    }
    return made(values, parts, head.level, head.correction);
  }
  std::size_t product_level(std::span<const Batch* const> operands) const override {
    std::size_t level = ~std::size_t{0};
    for (const Batch* const operand : operands) level = std::min(level, of(*operand).facts.level);
    return level - 1;
  }
  std::uint64_t common_correction(std::span<const Batch* const> operands, std::size_t level) const override {
    std::uint64_t least = t_;
    for (const Batch* const operand : operands) least = std::min(least, correction_at(of(*operand).facts, level));
    return least;
  }
  std::uint64_t correction_below(const circuit::Standing& standing, std::size_t level) const override {
    return correction_at({0, 2, standing.level, 0, 0, standing.correction}, level);
  }
  BatchPtr lowered(const Batch& a, std::size_t level) const override {
    const Facts& from = here(a).facts;
    require(level <= from.level, "lowered: upwards");
    return scaled(a, correction_at(from, level), level);
  }
  BatchPtr corrected(const Batch& a, std::uint64_t correction) const override {
    return scaled(a, correction, here(a).facts.level);
  }
  BatchPtr copied(const Batch& a) const override {
    require(of(a).device != device_, "copied: it is there already");
    return made(of(a).values, of(a).facts.parts, of(a).facts.level, of(a).facts.correction);
  }
  std::shared_ptr<const void> keys_at_hand() const override {
    ++keys;
    return nullptr;
  }
  BatchPtr multiply(const Batch& a, const Batch& b) const override {
    require(here(a).facts.parts == 2 && here(b).facts.parts == 2, "multiply: three parts");
    products += here(a).values.size();
    return zipped(a, b, 3, here(a).facts.correction * here(b).facts.correction % t_,
                  [this](auto x, auto y) { return x * y % t_; });
  }
  BatchPtr relinearize(const Batch& a) const override {
    require(here(a).facts.parts == 3, "relinearize: two parts");
    return made(here(a).values, 2, here(a).facts.level, here(a).facts.correction);
  }
  BatchPtr add(const Batch& a, const Batch& b) const override {
    require(here(a).facts.correction == here(b).facts.correction, "add: two correction factors");
    return zipped(a, b, std::max(here(a).facts.parts, here(b).facts.parts), here(a).facts.correction,
                  [this](auto x, auto y) { return (x + y) % t_; });
  }
  BatchPtr sum_groups(const Batch& a, std::size_t group) const override {
    Residues sums(here(a).values.size() / group);
    for (std::size_t i = 0; i < here(a).values.size(); ++i) sums[i / group] += here(a).values[i];
    for (auto& sum : sums) sum %= t_;
    return made(sums, here(a).facts.parts, here(a).facts.level, here(a).facts.correction);
  }
  BatchPtr scale(const Batch& a, std::span<const std::int64_t> factors) const override {
    Residues values = here(a).values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] * residue(factors[i]) % t_;
    return made(values, here(a).facts.parts, here(a).facts.level, here(a).facts.correction);
  }
  BatchPtr add_constants(const Batch& a, std::span<const std::int64_t> constants) const override {
    Residues values = here(a).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (values[i] + residue(constants[i]) * here(a).facts.correction) % t_;
    }
    return made(values, here(a).facts.parts, here(a).facts.level, here(a).facts.correction);
  }

 private:
  const Located& here(const Batch& a) const {
    require(of(a).device == device_, "a value of another device");
    return of(a);
  }
  std::uint64_t residue(std::int64_t value) const {
    const auto t = static_cast<std::int64_t>(t_);
    return static_cast<std::uint64_t>((value % t + t) % t);
  }
  /// Levels below the top multiply it by 3 each.
  std::uint64_t correction_at(const Facts& from, std::size_t level) const {
    std::uint64_t correction = from.correction;
    for (std::size_t l = from.level; l > level; --l) correction = correction * 3 % t_;
    return correction;
  }
  BatchPtr scaled(const Batch& a, std::uint64_t correction, std::size_t level) const {
    Residues values = here(a).values;
    const std::uint64_t factor = correction * inverse_or_zero(here(a).facts.correction, t_) % t_;
    for (auto& value : values) value = value * factor % t_;
    return made(values, here(a).facts.parts, level, correction);
  }
  BatchPtr made(const Residues& values, std::size_t parts, std::size_t level, std::uint64_t correction) const {
    return std::make_shared<Located>(values, Facts{values.size(), parts, level, 0, 1, correction}, device_);
  }
  template <class Function>
  BatchPtr zipped(const Batch& a, const Batch& b, std::size_t parts, std::uint64_t correction,
                  const Function& function) const {
    require(here(a).facts.level == here(b).facts.level, "operands of two levels");
    require(here(a).values.size() == here(b).values.size(), "operands of unequal sizes");
    Residues values = here(a).values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(values[i], here(b).values[i]);
    return made(values, parts, here(a).facts.level, correction);
  }

  std::uint64_t t_;
  std::size_t device_, at_once_;
};

/// Algebras of so many devices.
struct Team {
  Team(std::uint64_t t, std::size_t count, std::size_t at_once) {
    for (std::size_t i = 0; i < count; ++i) {
      members.push_back(std::make_unique<Locating>(t, i, at_once));
      pointers.push_back(members.back().get());
    }
  }
  std::vector<std::unique_ptr<Locating>> members;
  std::vector<const circuit::Algebra*> pointers;
};

/// One way and another: values, and the residues that they stand as, are those of one section on one device.
void check_ways(const circuit::Circuit& circuit, const circuit::Result& first, const auto& inputs,
                std::mt19937_64& random) {
  for (const std::size_t devices : {1, 2, 3, 8}) {
    for (const std::size_t sections : {1, 2, 7, 1000}) {
      const Team team(circuit.modulus(), devices, random() % 9 + 1);
      std::size_t done = 0;
      const auto progress = [&](std::size_t now, std::size_t, const std::string&) {
        CHECK(now > done);
        done = now;
      };
      const circuit::Result result =
          evaluate(circuit, team.pointers, inputs(*team.members[0]), {sections, &first.course}, progress);
      for (std::size_t i = 0; i < first.outputs.size(); ++i) {
        CHECK_EQ(Locating::of(*result.outputs[i]).values, Locating::of(*first.outputs[i]).values);
        CHECK_EQ(Locating::of(*result.outputs[i]).facts.correction, first.course.outputs[i].correction);
      }
      const circuit::Counts counts = circuit::counts_of(circuit);
      CHECK_EQ(done, counts.products + counts.relinearizations);
      std::size_t all = 0;
      for (const auto& member : team.members) all += member->products;
      CHECK_EQ(all, counts.products);
      // Layers of many gates are shared out evenly; those of random circuits have few.
      if (circuit.name() == "drawn" || sections > 1 || counts.products < 64 * devices * circuit.depth()) continue;
      for (const auto& member : team.members) CHECK(member->products > all / (2 * devices));
    }
  }
}

/// Values by definition, on any course: relinearised at the layer's level, or at that of the next.
void check_ways(const circuit::Circuit& circuit, std::mt19937_64& random) {
  std::vector<Residues> plain;
  const std::size_t level = 2 * circuit.depth() + 4;
  const auto inputs = [&](const Locating& algebra) {
    std::vector<BatchPtr> batches;
    for (std::size_t i = 0; i < plain.size(); ++i) batches.push_back(algebra.batch(plain[i], level + i % 2));
    return batches;
  };
  for (const circuit::Port& port : circuit.inputs()) {
    plain.emplace_back(port.wires.size());
    for (auto& value : plain.back()) value = random() % circuit.modulus();
  }
  const auto expected = check::by_definition(circuit, plain);
  const Team one(circuit.modulus(), 1, 1 << 20);
  const circuit::Result first = evaluate(circuit, one.pointers, inputs(*one.members[0])),
                        second = evaluate(circuit, one.pointers, inputs(*one.members[0]), {.ahead = &first.course});
  for (const circuit::Result* const result : {&first, &second}) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK_EQ(one.members[0]->opened(*result->outputs[i]), expected[i]);
    }
    check_ways(circuit, *result, inputs, random);
  }
  for (std::size_t i = 1; i <= circuit.depth(); ++i) {
    CHECK_EQ(first.course.relinearized[i].level, first.course.layers[i].level);
    CHECK(second.course.relinearized[i].level <= second.course.layers[i].level);
  }
}

std::mt19937_64 seeded() {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  return std::mt19937_64(seed);
}

TEST(circuits_on_several_devices_and_in_sections) {
  std::mt19937_64 random = seeded();
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{257}}) {
    check_ways(circuit::sort_circuit({.count = 7, .bits = 5, .carried = 3, .modulus = t}), random);
    check_ways(circuit::argmax_circuit({.count = 6, .bits = 4, .modulus = t}), random);
    check_ways(circuit::less_circuit(13, circuit::Sign::twos_complement, t), random);
  }
  check_ways(circuit::prince_encryption(), random);
}

/// Sums and products at random, modulo a prime, with factors: shallow wires that are used late, three parts kept.
circuit::Circuit drawn(std::mt19937_64& random, std::uint64_t t) {
  circuit::Writer writer("drawn", t);
  std::vector<circuit::Wire> two = writer.input("x", 4), three;
  const auto more = writer.input("y", 3);
  two.insert(two.end(), more.begin(), more.end());
  const auto any = [&](const std::vector<circuit::Wire>& wires) { return wires[random() % wires.size()]; };
  for (int step = 0; step < 60; ++step) {
    if (random() % 3 == 0) {
      three.push_back(writer.product(any(two), any(two)));
    } else if (random() % 3 == 0 && !three.empty()) {
      two.push_back(writer.relinearized(any(three)));
    } else {
      std::vector<circuit::Term> terms;
      for (std::size_t i = random() % 4 + 1; i > 0; --i) {
        terms.push_back({any(!three.empty() && i % 2 == 0 ? three : two), static_cast<std::int64_t>(random() % t)});
      }
      try {
        const circuit::Wire sum = writer.sum(terms, static_cast<std::int64_t>(random() % t));
        (writer.parts(sum) == 2 ? two : three).push_back(sum);
      } catch (const ArgumentError&) {  // all terms cancelled
      }
    }
  }
  writer.output("z", {two.end() - std::min<std::ptrdiff_t>(4, std::ssize(two)), two.end()});
  writer.output("x again", {two[0], two.back(), two[0]});
  return writer.finish();
}

TEST(circuits_at_random_do_too) {
  std::mt19937_64 random = seeded();
  for (int trial = 0; trial < 60; ++trial) check_ways(drawn(random, trial % 2 == 0 ? 2 : 257), random);
}

TEST(sections_take_a_course) {
  const circuit::Circuit less = circuit::less_circuit(4, circuit::Sign::none);
  const Team team(2, 1, 4);
  const std::vector<BatchPtr> inputs(2, team.members[0]->batch(Residues(4), 9));
  CHECK_THROWS_WITH(ArgumentError, evaluate(less, team.pointers, inputs, {2}), "the course of an evaluation before");
  CHECK_THROWS_WITH(ArgumentError, evaluate(less, team.pointers, inputs, {0}), "in 0 sections");
  CHECK_THROWS_WITH(ArgumentError, evaluate(less, std::span<const circuit::Algebra* const>(), inputs), "no algebra");
}

TEST(an_error_on_any_device_ends_the_evaluation) {
  const circuit::Circuit prince = circuit::prince_encryption();
  Team team(2, 3, 4);
  const auto keys = [&] { return std::vector<BatchPtr>(3, team.members[0]->batch(Residues(64), 40)); };
  const circuit::Course course = evaluate(prince, *team.members[0], keys()).course;
  const Locating stranger(2, 7, 4);  // whose batches nobody here takes
  team.pointers[2] = &stranger;
  const circuit::Result fine = evaluate(prince, team.pointers, keys(), {1, &course});
  CHECK_EQ(Locating::of(*fine.outputs[0]).device, 0U);
  CHECK(stranger.products > 0);
  team.pointers[1] = team.pointers[0];  // it holds what it is asked to copy
  CHECK_THROWS_WITH(std::logic_error, evaluate(prince, team.pointers, keys(), {1, &course}), "there already");
  CHECK_THROWS_WITH(std::runtime_error,
                    evaluate(prince, *team.members[0], keys(),
                             [](std::size_t, std::size_t, const std::string&) { throw std::runtime_error("enough"); }),
                    "enough");
}

// --- over ciphertexts
// -------------------------------------------------------------------------------------------------

void check_same(const std::vector<Ciphertext>& a, const std::vector<Ciphertext>& b) {
  CHECK_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK_EQ(a[i].polynomials().to_host(), b[i].polynomials().to_host());
    CHECK_EQ(a[i].limbs(), b[i].limbs());
    CHECK_EQ(a[i].correction(), b[i].correction());
    CHECK(a[i].noise() == b[i].noise());
    CHECK(a[i].context() == b[i].context());
  }
}

std::vector<rlwe::ContextPtr> others_of(const SmallParty& party, std::size_t count) {
  std::vector<rlwe::ContextPtr> others;
  for (std::size_t i = 0; i < count; ++i) {
    others.push_back(scheme::make_context(party.context->parameters(), CpuEngine::create(1)));
  }
  return others;
}

struct Limit {
  explicit Limit(std::uint64_t bytes) { set_memory_limit(bytes); }
  ~Limit() { set_memory_limit(std::nullopt); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
};

/// On several engines, and with ever less memory, the same residues and bounds; the plan's bytes are enough.
void check_on_engines(const circuit::Circuit& circuit, const SmallParty& party, const std::vector<Ciphertext>& inputs,
                      std::size_t width = 1) {
  const circuit::Computed one = circuit::compute(circuit, inputs, party.keys, width);
  CHECK_EQ(one.sections, 1U);
  for (const Ciphertext& output : one.outputs) {
    for (const double noise : scheme::measured_noise(output, party.secret)) CHECK(noise <= output.noise().log2_max);
  }
  const auto others = others_of(party, 2);
  const std::span<const rlwe::ContextPtr> all(others);
  check_same(circuit::compute(circuit, inputs, party.keys, width, {}, all.first(1), 1).outputs, one.outputs);
  const circuit::Computed three = circuit::compute(circuit, inputs, party.keys, width, {}, all, 1);
  check_same(three.outputs, one.outputs);
  CHECK_EQ(three.devices, 3U);
  const std::vector<rlwe::ContextPtr> same = {party.context};  // one engine twice
  check_same(circuit::compute(circuit, inputs, party.keys, width, {}, same, 1).outputs, one.outputs);
  // Devices that it does not pay for get nothing.
  CHECK_EQ(circuit::compute(circuit, inputs, party.keys, width, {}, all, 1 << 20).devices, 1U);

  std::vector<circuit::NoiseAlgebra::State> states;
  for (const Ciphertext& c : inputs) states.push_back({c.noise(), c.level(), c.correction()});
  const circuit::Plan whole = circuit::plan(circuit, party.context->parameters(), states, width);
  const std::uint64_t held = party.context->engine()->memory(false).held;
  std::size_t most_sections = 1;
  for (int tenths = 9; tenths >= 0; --tenths) {
    const Limit limit(held + whole.peak_bytes * static_cast<std::uint64_t>(tenths) / 10);
    std::size_t steps = 0;
    try {
      const circuit::Computed found = circuit::compute(circuit, inputs, party.keys, width,
                                                       [&](std::size_t, std::size_t, const std::string&) { ++steps; });
      CHECK(found.sections >= most_sections);
      most_sections = found.sections;
      check_same(found.outputs, one.outputs);
    } catch (const MemoryLimitError& error) {  // before work starts, and for good reason
      CHECK_EQ(steps, 0U);
      CHECK(std::string(error.what()).find("compute fewer lists") != std::string::npos);
      CHECK(tenths < 7);
    }
  }
  CHECK(most_sections > 1);
}

/// All layers but the last are relinearised at the level of the next one, if the noise allows.
TEST(layers_are_relinearised_ahead) {
  const circuit::Circuit layers = circuit::prince_layers(4, 6);
  const auto course = [&](std::size_t primes) {
    const rlwe::Parameters parameters(small_literal(bgv::scheme(), 2, primes, 29));
    return circuit::Outlook(layers, parameters, {}, 1).course();
  };
  const circuit::Course ahead = course(10);
  for (std::size_t i = 1; i < layers.depth(); ++i) {
    CHECK_EQ(ahead.relinearized[i].level, ahead.layers[i + 1].level);
    CHECK(ahead.relinearized[i].level < ahead.layers[i].level);
  }
  CHECK_EQ(ahead.relinearized.back().level, ahead.layers.back().level);
}

TEST(prince_on_several_engines) {
  const SmallParty party(small_literal(bgv::scheme(), 2, 6, 29));
  const circuit::Circuit layers = circuit::prince_layers(5, 6);
  check_on_engines(layers, party,
                   {party.encrypt(check::state_of(0x3eeb9ea60bb04e08)), party.encrypt(check::state_of(0)),
                    party.encrypt(check::state_of(0xfedcba9876543210))});
}

/// One ciphertext of a wire for all lanes: as if it had been repeated for each, wherever it is computed with.
TEST(lanes_share_an_input) {
  const SmallParty party(small_literal(bgv::scheme(), 2, 6, 29));
  const circuit::Circuit layers = circuit::prince_layers(5, 6);
  const std::size_t width = 3;
  std::vector<std::size_t> repeats;
  for (std::size_t i = 0; i < 64 * width; ++i) repeats.push_back(i / width);
  Residues states;
  const std::vector<Residues> each = {check::state_of(0x3eeb9ea60bb04e08), check::state_of(1), check::state_of(~0ULL)};
  for (std::size_t bit = 0; bit < 64; ++bit) {
    for (const Residues& state : each) states.push_back(state[bit]);
  }
  const Ciphertext data = party.encrypt(states), k0 = party.encrypt(check::state_of(5)),
                   k1 = party.encrypt(check::state_of(0xfedcba9876543210));
  const std::vector<Ciphertext> repeated = {data, rlwe::take(k0, repeats), rlwe::take(k1, repeats)};
  const circuit::Computed one = circuit::compute(layers, repeated, party.keys, width);
  const auto others = others_of(party, 3);
  for (const std::size_t count : {0, 1, 2, 3}) {
    const auto more = std::span<const rlwe::ContextPtr>(others).first(count);
    const circuit::Computed found = circuit::compute(layers, std::vector{data, k0, k1}, party.keys, width, {}, more);
    check_same(found.outputs, one.outputs);
    CHECK_EQ(found.by_lanes, count == 1 || count == 2);
  }
  CHECK_THROWS_WITH(ArgumentError, circuit::compute(layers, std::vector{k0, k0, k1}, party.keys, width),
                    "every input has one");
  // A shared key takes less memory, in plans too; lanes on several devices less on each.
  const rlwe::Parameters& parameters = party.context->parameters();
  const auto bytes = [&](std::size_t devices, std::vector<bool> shared) {
    return circuit::plan(layers, parameters, {}, 6, {devices, std::nullopt, std::move(shared)}).peak_bytes;
  };
  CHECK(bytes(1, {false, true, true}) < bytes(1, {}));
  CHECK(bytes(3, {false, true, true}) < bytes(1, {false, true, true}) / 2);
  // A failure on any device ends all.
  const std::vector<rlwe::ContextPtr> stranger = {SmallParty(small_literal(bgv::scheme(), 2, 7, 29)).context};
  CHECK_THROWS_WITH(MismatchError, circuit::compute(layers, repeated, party.keys, width, {}, stranger), "devices with");
  const auto stop = [](std::size_t, std::size_t, const std::string&) { throw std::runtime_error("enough"); };
  CHECK_THROWS_WITH(std::runtime_error,
                    circuit::compute(layers, repeated, party.keys, width, stop, std::span(others).first(1)), "enough");
  CHECK_THROWS_WITH(ArgumentError,
                    circuit::compute(layers, std::vector{data, k0}, party.keys, width, {}, std::span(others).first(1)),
                    "takes 3 inputs");
}

TEST(sorting_on_several_engines) {
  const SmallParty party(small_literal(bgv::scheme(), 2, 9, 29));
  const circuit::Circuit sort = circuit::sort_circuit({.count = 5, .bits = 4});
  Residues bits;
  for (const std::uint64_t value : {9, 3, 9, 0, 3}) check::append_bits(bits, value, 4);
  Residues twice;  // two ciphertexts for each wire
  for (const std::uint64_t bit : bits) twice.insert(twice.end(), {bit, 1 - bit});
  check_on_engines(sort, party, {party.encrypt(bits)});
  check_on_engines(sort, party, {party.encrypt(twice)}, 2);
}

/// Factors of levels that differ, where t has more than one unit.
void ranks_as_sums(const rlwe::ParametersLiteral& literal) {
  const SmallParty party(literal);
  const circuit::Circuit sort = circuit::sort_circuit({.count = 4, .bits = 3, .modulus = 65537});
  Residues bits;
  for (const std::uint64_t value : {5, 1, 5, 0}) check::append_bits(bits, value, 3);
  check_on_engines(sort, party, {party.encrypt(bits)});
}
TEST(ranks_as_sums_in_bgv) { ranks_as_sums(small_literal(bgv::scheme(), 65537, 9, 55)); }
TEST(ranks_as_sums_in_bfv) { ranks_as_sums(small_literal(bfv::scheme(), 65537, 6, 55)); }

TEST(keys_are_spread_and_put_together_again) {
  rlwe::ParametersLiteral literal = small_literal(bgv::scheme(), 2, 9, 29);
  const SmallParty party(literal);
  const PolyArray& key = party.keys->relinearization().polynomials();
  CHECK(key.batch() >= 5U);
  std::vector<rlwe::ContextPtr> contexts = others_of(party, 3);
  contexts.insert(contexts.begin(), party.context);
  const circuit::KeyShares shares(party.keys, contexts);
  std::size_t all = 0;
  for (std::size_t device = 0; device < contexts.size(); ++device) {
    const auto whole = shares.assembled(device);
    CHECK_EQ(whole->relinearization().polynomials().to_host(), key.to_host());
    CHECK(whole->context() == contexts[device]);
    CHECK(whole->id() == party.keys->id());
    const std::size_t held = circuit::KeyShares::digits_of(device, key.batch(), contexts.size());
    all += held;
    if (device == 0) continue;
    const std::size_t digit = key.bytes() / key.batch();
    const std::uint64_t bytes = contexts[device]->engine()->memory(false).held;  // with `whole`; blocks are rounded up
    CHECK(bytes >= held * digit + key.bytes() && bytes <= (held * digit + key.bytes()) * 9 / 8);
  }
  CHECK_EQ(all, key.batch() - (key.batch() + contexts.size() - 1) / contexts.size());  // the rest is the first's

  // Whole circuits with keys that are fetched from where they lie.
  const circuit::Circuit sort = circuit::sort_circuit({.count = 3, .bits = 2});
  const std::vector<Ciphertext> inputs = {party.encrypt({1, 0, 0, 1, 1, 1})};
  const auto one = circuit::compute(sort, inputs, party.keys);
  const auto pointer = std::make_shared<const circuit::KeyShares>(party.keys, contexts);
  std::vector<std::unique_ptr<circuit::CiphertextAlgebra>> algebras;
  std::vector<const circuit::Algebra*> pointers;
  for (std::size_t device = 0; device < contexts.size(); ++device) {
    algebras.push_back(std::make_unique<circuit::CiphertextAlgebra>(pointer, device, 1));
    pointers.push_back(algebras.back().get());
  }
  const std::vector<circuit::NoiseAlgebra::State> states = {
      {inputs[0].noise(), inputs[0].level(), inputs[0].correction()}};
  const circuit::Outlook outlook(sort, party.context->parameters(), states, 1);
  const auto result = evaluate(sort, pointers, {algebras[0]->batch(inputs[0])}, {.course = &outlook.course()});
  CHECK_EQ(algebras[0]->ciphertexts(*result.outputs[0]).polynomials().to_host(),
           one.outputs[0].polynomials().to_host());
}

TEST(a_device_that_has_no_room_for_the_key_takes_it_from_the_others) {
  const SmallParty party(small_literal(bgv::scheme(), 2, 9, 29));
  const circuit::Circuit sort = circuit::sort_circuit({.count = 3, .bits = 2});
  const circuit::Outlook outlook(sort, party.context->parameters(), {}, 1);
  const auto anything = [](const auto&) { return true; };
  const auto least = outlook.find({0, {0, 0}, 0}, anything);
  // A key that is as large as all values together: there is no room for it while products are computed, but there is
  // for half of it, and for all of it once their operands have gone.
  const std::uint64_t key = least.bytes[1];
  const circuit::Outlook::Devices devices{key, {0, key / 8}, 0};
  const auto copied = outlook.find(devices, anything);
  CHECK(!copied.keys_spread && copied.sections == 1);
  CHECK_EQ(copied.bytes[1], least.bytes[1] + key);
  const auto spread =
      outlook.find(devices, [&](const std::vector<std::uint64_t>& bytes) { return bytes[1] < copied.bytes[1]; });
  CHECK(spread.keys_spread && spread.sections == 1);
  CHECK(spread.bytes[1] < copied.bytes[1]);
  CHECK(spread.bytes[1] > key);
}

TEST(devices_of_other_parameters_are_refused) {
  const SmallParty party(small_literal(bgv::scheme(), 2, 4, 29)), other(small_literal(bgv::scheme(), 2, 5, 29));
  const circuit::Circuit equal = circuit::equal_circuit(2);
  const std::vector<Ciphertext> inputs = {party.encrypt({1, 0}), party.encrypt({1, 1})};
  const std::vector<rlwe::ContextPtr> others = {other.context};
  CHECK_THROWS_WITH(MismatchError, circuit::compute(equal, inputs, party.keys, 1, {}, others), "devices with");
}

}  // namespace

int main() { return cyclotome::check::run(); }
