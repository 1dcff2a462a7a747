// SPDX-License-Identifier: Apache-2.0
// An algebra brought from outside, with levels, which checks everything that an evaluation promises it: operands that
// fit, one level, factors of two parts, each gate computed once, pieces of the size asked for, nothing kept too long.

#include <iostream>
#include <numeric>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "circuit_values.hpp"
#include "cyclotome/circuit/counts.hpp"
#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/circuit/writer.hpp"
#include "cyclotome/math/errors.hpp"

namespace {

using namespace cyclotome;
using check::append_bits;
using check::Residues;
using circuit::Batch;
using circuit::BatchPtr;
using circuit::Facts;
using circuit::Place;

struct Levelled final : Batch {
  Levelled(Residues v, std::size_t p, std::size_t l) : values(std::move(v)), parts(p), level(l) {
    if (++alive > most_alive) most_alive = alive;
  }
  ~Levelled() override { --alive; }
  Residues values;
  std::size_t parts, level;
  static inline std::size_t alive = 0, most_alive = 0;
};

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// Bits at levels, one item a value. Every product takes a level.
class Checking final : public circuit::Algebra {
 public:
  explicit Checking(std::size_t at_once) : at_once_(at_once) {}

  static const Levelled& of(const Batch& a) { return dynamic_cast<const Levelled&>(a); }
  BatchPtr batch(Residues values, std::size_t level) const { return made(std::move(values), 2, level); }

  mutable std::size_t products = 0, relinearizations = 0, largest = 0;

  std::uint64_t modulus() const override { return 2; }
  Facts facts(const Batch& a) const override {
    return {of(a).values.size(), of(a).parts, of(a).level, 1.0 * static_cast<double>(of(a).parts), 100};
  }
  std::size_t items_at_once() const override { return at_once_; }
  BatchPtr gather(std::span<const Place> places) const override {
    require(!places.empty(), "gather: nothing");
    Residues values;
    std::size_t parts = 2;
    for (const Place& place : places) {
      require(place.batch != nullptr, "gather: a value that has gone");
      require(of(*place.batch).level == of(*places[0].batch).level, "gather: two levels");
      values.push_back(of(*place.batch).values.at(place.item));
      parts = std::max(parts, of(*place.batch).parts);
    }
    return made(std::move(values), parts, of(*places[0].batch).level);
  }
  std::size_t product_level(std::span<const Batch* const> operands) const override {
    require(!operands.empty(), "product_level: nothing");
    std::size_t level = of(*operands[0]).level;
    for (const Batch* const operand : operands) {
      require(of(*operand).parts == 2, "product_level: three parts");
      level = std::min(level, of(*operand).level);
    }
    return level - 1;
  }
  BatchPtr lowered(const Batch& a, std::size_t level) const override {
    require(level <= of(a).level, "lowered: upwards");
    return made(of(a).values, of(a).parts, level);
  }
  BatchPtr multiply(const Batch& a, const Batch& b) const override {
    require_pair(a, b);
    require(of(a).parts == 2 && of(b).parts == 2, "multiply: three parts");
    products += of(a).values.size();
    largest = std::max(largest, of(a).values.size());
    return zipped(a, b, 3, [](auto x, auto y) { return x & y; });
  }
  BatchPtr relinearize(const Batch& a) const override {
    require(of(a).parts == 3, "relinearize: two parts");
    relinearizations += of(a).values.size();
    largest = std::max(largest, of(a).values.size());
    return made(of(a).values, 2, of(a).level);
  }
  BatchPtr add(const Batch& a, const Batch& b) const override {
    require_pair(a, b);
    return zipped(a, b, std::max(of(a).parts, of(b).parts), [](auto x, auto y) { return x ^ y; });
  }
  BatchPtr sum_groups(const Batch& a, std::size_t group) const override {
    require(group > 1 && of(a).values.size() % group == 0, "sum_groups: no groups");
    Residues sums(of(a).values.size() / group);
    for (std::size_t i = 0; i < of(a).values.size(); ++i) sums[i / group] ^= of(a).values[i];
    return made(std::move(sums), of(a).parts, of(a).level);
  }
  BatchPtr scale(const Batch&, std::span<const std::int64_t>) const override {
    throw std::logic_error("scale: of bits by 1");
  }
  BatchPtr add_constants(const Batch& a, std::span<const std::int64_t> constants) const override {
    require(constants.size() == of(a).values.size(), "add_constants: other items");
    Residues values = of(a).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      require(constants[i] == 0 || constants[i] == 1, "add_constants: not centred");
      values[i] ^= static_cast<std::uint64_t>(constants[i]);
    }
    return made(std::move(values), of(a).parts, of(a).level);
  }

 private:
  static BatchPtr made(Residues values, std::size_t parts, std::size_t level) {
    return std::make_shared<Levelled>(std::move(values), parts, level);
  }
  static void require_pair(const Batch& a, const Batch& b) {
    require(of(a).level == of(b).level, "operands of two levels");
    require(of(a).values.size() == of(b).values.size(), "operands of unequal sizes");
  }
  template <class Function>
  static BatchPtr zipped(const Batch& a, const Batch& b, std::size_t parts, const Function& function) {
    Residues values = of(a).values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(values[i], of(b).values[i]);
    return made(std::move(values), parts, of(a).level);
  }

  std::size_t at_once_;
};

/// Runs a circuit on random bits, and compares with plain values and with the counts.
void check_contract(const circuit::Circuit& circuit, std::size_t at_once, std::mt19937_64& random) {
  const Checking algebra(at_once);
  const std::size_t top = circuit.depth() + 1;
  std::vector<Residues> plain;
  std::vector<BatchPtr> inputs;
  for (const circuit::Port& port : circuit.inputs()) {
    Residues bits(port.wires.size());
    for (auto& bit : bits) bit = random() & 1;
    inputs.push_back(algebra.batch(bits, top));
    plain.push_back(bits);
  }
  const auto expected = check::by_definition(circuit, plain);
  std::size_t steps = 0;
  const circuit::Result result = evaluate(circuit, algebra, std::move(inputs),
                                          [&](std::size_t done, std::size_t, const std::string&) { steps = done; });
  const circuit::Counts counts = circuit::counts_of(circuit);
  CHECK_EQ(algebra.products, counts.products);
  CHECK_EQ(algebra.relinearizations, counts.relinearizations);
  CHECK_EQ(steps, counts.products + counts.relinearizations);
  // A sum of products is a piece of its own where it has more.
  CHECK(algebra.largest <= std::max<std::size_t>(at_once, 64));
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    CHECK_EQ(Checking::of(*result.outputs[i]).values, expected[i]);
    CHECK_EQ(Checking::of(*result.outputs[i]).parts, 2U);
  }
  for (std::size_t layer = 1; layer < result.layers.size(); ++layer) {
    CHECK_EQ(result.layers[layer].level, top - layer);  // a level for each product on the way, and no more
    CHECK_EQ(result.layers[layer].counts.products, circuit::counts_by_layer(circuit)[layer].products);
  }
}

std::mt19937_64 seeded() {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  return std::mt19937_64(seed);
}

TEST(every_circuit_keeps_what_algebras_are_promised) {
  std::mt19937_64 random = seeded();
  for (const std::size_t at_once : {1, 7, 1000}) {
    check_contract(circuit::prince_encryption(), at_once, random);
    check_contract(circuit::prince_decryption(), at_once, random);
    check_contract(circuit::sort_circuit({.count = 9, .bits = 5, .carried = 3}), at_once, random);
    check_contract(circuit::argmax_circuit({.count = 6, .bits = 4}), at_once, random);
    check_contract(circuit::less_circuit(13, circuit::Sign::twos_complement), at_once, random);
    check_contract(circuit::equal_circuit(13), at_once, random);
  }
}

/// Sums and products at random: deep ones of shallow ones, of the same wire twice, of three parts.
circuit::Circuit drawn(std::mt19937_64& random) {
  circuit::Writer writer("drawn");
  std::vector<circuit::Wire> two = writer.input("x", 5), three;
  const auto any = [&](const std::vector<circuit::Wire>& wires) { return wires[random() % wires.size()]; };
  for (int step = 0; step < 60; ++step) {
    switch (random() % 4) {
      case 0:
        three.push_back(writer.product(any(two), any(two)));
        break;
      case 1:
        if (!three.empty()) two.push_back(writer.relinearized(any(three)));
        break;
      default: {
        std::vector<circuit::Term> terms;
        const bool mixed = !three.empty() && random() % 2 == 0;
        for (std::size_t i = random() % 5 + 1; i > 0; --i) terms.push_back({any(mixed && i % 2 == 1 ? three : two)});
        try {
          const circuit::Wire sum = writer.sum(terms, static_cast<std::int64_t>(random() % 2));
          const bool is_two = writer.parts(sum) == 2;
          (is_two ? two : three).push_back(sum);
        } catch (const ArgumentError&) {  // all terms cancelled
        }
      }
    }
  }
  std::vector<circuit::Wire> outputs(two.end() - std::min<std::ptrdiff_t>(4, std::ssize(two)), two.end());
  outputs.push_back(outputs[0]);  // the same twice
  writer.output("y", outputs);
  writer.output("x again", {two[0]});
  return writer.finish();
}

TEST(circuits_at_random_do_too) {
  std::mt19937_64 random = seeded();
  for (int trial = 0; trial < 300; ++trial) {
    const circuit::Circuit circuit = drawn(random);
    const Checking algebra(random() % 5 + 1);
    Residues bits(5);
    for (auto& bit : bits) bit = random() & 1;
    const auto expected = check::by_definition(circuit, {bits});
    const circuit::Result result = evaluate(circuit, algebra, {algebra.batch(bits, 60)});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK_EQ(Checking::of(*result.outputs[i]).values, expected[i]);
    }
    CHECK_EQ(algebra.products, circuit::counts_of(circuit).products);
    CHECK_EQ(check::run_plain(circuit, {bits}), expected);
  }
}

TEST(values_are_let_go_after_their_last_use) {
  std::mt19937_64 random = seeded();
  const circuit::Circuit prince = circuit::prince_encryption();
  Levelled::most_alive = Levelled::alive;
  check_contract(prince, 1000, random);
  CHECK_EQ(Levelled::alive, 0U);
  // Twelve alike layers of about a dozen batches each: what is alive at one time is no more than a few layers' worth.
  CHECK(Levelled::most_alive < 60);
}

TEST(what_an_algebra_throws_ends_the_evaluation) {
  const circuit::Circuit less = circuit::less_circuit(4, circuit::Sign::none);
  const Checking algebra(8);
  const std::vector<BatchPtr> inputs = {algebra.batch(Residues(4), 9), algebra.batch(Residues(4), 9)};
  CHECK_THROWS_WITH(std::runtime_error,
                    evaluate(less, algebra, inputs,
                             [](std::size_t, std::size_t, const std::string&) { throw std::runtime_error("enough"); }),
                    "enough");
}

}  // namespace

int main() { return cyclotome::check::run(); }
