// SPDX-License-Identifier: Apache-2.0
// Circuits over ciphertexts: results, and that the plan said what noise and levels they would have.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

#include "check.hpp"
#include "cyclotome/circuit/ciphertext_algebra.hpp"
#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/circuit/parameters.hpp"
#include "small_party.hpp"

namespace {

using namespace cyclotome;
using check::append_bits;
using check::numbers_of;
using check::Residues;
using check::state_of;
using check::word_of;
using rlwe::Ciphertext;
using Party = check::SmallParty;
constexpr auto literal = check::small_literal;

std::vector<circuit::NoiseAlgebra::State> states_of(const std::vector<Ciphertext>& inputs) {
  std::vector<circuit::NoiseAlgebra::State> states;
  for (const Ciphertext& c : inputs) states.push_back({c.noise(), c.level(), c.correction()});
  return states;
}

/// Computes, and compares what was planned with what ciphertexts say and with what the secret key sees.
std::vector<Ciphertext> compute(const circuit::Circuit& circuit, const Party& party,
                                const std::vector<Ciphertext>& inputs, std::size_t width = 1) {
  std::size_t last = 0, total = 0;
  const circuit::Computed computed =
      circuit::compute(circuit, inputs, party.keys, width, [&](std::size_t done, std::size_t all, const std::string&) {
        CHECK(done > last);
        last = done;
        total = all;
      });
  const circuit::Counts counts = circuit::counts_of(circuit);
  CHECK_EQ(last, total);
  CHECK_EQ(total, counts.products + counts.relinearizations);
  const auto states = states_of(inputs);
  const circuit::Plan plan = circuit::plan(circuit, party.context->parameters(), states, width);
  CHECK_EQ(plan.layers.size(), computed.layers.size());
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    CHECK_EQ(plan.layers[i].level, computed.layers[i].level);
    CHECK_EQ(plan.layers[i].operations, computed.layers[i].operations);
    CHECK(std::abs(plan.layers[i].log2_noise - computed.layers[i].log2_noise) < 1e-9);
    CHECK(std::abs(plan.layers[i].headroom - computed.layers[i].headroom) < 1e-9);
  }
  for (const Ciphertext& output : computed.outputs) {
    CHECK_EQ(output.parts(), 2U);
    for (const double noise : scheme::measured_noise(output, party.secret)) CHECK(noise <= output.noise().log2_max);
  }
  return computed.outputs;
}

constexpr std::uint64_t key1 = 0xfedcba9876543210;
/// The fifth official vector: its plaintext, and the states after each S-box layer.
constexpr std::uint64_t states[] = {0x0123456789abcdef, 0x4444444444444444, 0x876f1a432f9bbcfb, 0xe9679938fc49e448,
                                    0x3eeb9ea60bb04e08, 0xae1db3c7138fa29c, 0xfedcea910ac19526, 0x51ce08fdd1088ae0,
                                    0xdffe1b842c4b9bed, 0xeeac64cdc7fd17b6, 0x14c5df31ab8987b9, 0xe4922280686c7348,
                                    0x90553e1317d2fe02};

/// One division for both: the same message as by two, within the bound of two, at every level and for operands that
/// are anything; where there is nothing to save, the very residues of the two.
void relinearised_to_levels(const rlwe::ParametersLiteral& parameters, bool at_once) {
  const Party party(parameters);
  const std::uint64_t t = party.context->parameters().plain_moduli()[0];
  const Residues x = {1, t / 2, 0, t / 2 - t / 4}, y = {1, t / 2, 1, 1};
  const Ciphertext a = party.encrypt(x), product = scheme::multiply(a, party.encrypt(y));
  const std::size_t top = product.limbs();
  for (std::size_t level = top; level > 0; --level) {
    const Ciphertext both = scheme::relinearize_to_level(product, *party.keys, rlwe::Level(level));
    Ciphertext two = rlwe::relinearize(product, *party.keys);
    if (level < top) two = scheme::switch_to_level(two, rlwe::Level(level));
    CHECK_EQ(both.limbs(), level);
    CHECK_EQ(both.parts(), 2U);
    CHECK_EQ(both.correction(), two.correction());
    CHECK(std::abs(both.noise().log2_max - two.noise().log2_max) < 1e-9);
    if (level == top || !at_once) CHECK_EQ(both.polynomials().to_host(), two.polynomials().to_host());
    if (scheme::noise_headroom(both) < 0) continue;
    CHECK_EQ(party.decrypt(both), party.decrypt(two));
    const auto measured = scheme::measured_noise(both, party.secret), apart = scheme::measured_noise(two, party.secret);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      CHECK(measured[i] <= both.noise().log2_max);
      CHECK(measured[i] <= apart[i] + 1);
    }
  }
  const Ciphertext same = scheme::relinearize_to_level(a, *party.keys, rlwe::Level(1));  // of 2 parts
  CHECK_EQ(same.polynomials().to_host(), scheme::switch_to_level(a, rlwe::Level(1)).polynomials().to_host());
  CHECK_THROWS_WITH(ArgumentError, scheme::relinearize_to_level(product, *party.keys, rlwe::Level(0)),
                    "levels only fall");
  CHECK_THROWS_WITH(ArgumentError, scheme::relinearize_to_level(product, *party.keys, rlwe::Level(top + 1)),
                    "levels only fall");
  const Party stranger(literal(bgv::scheme(), 3, 2, 29));
  CHECK_THROWS(MismatchError, scheme::relinearize_to_level(product, *stranger.keys, rlwe::Level(1)));
}

TEST(relinearised_to_a_level) {
  relinearised_to_levels(literal(bgv::scheme(), 2, 4, 29), true);
  relinearised_to_levels(literal(bgv::scheme(), 257, 3, 29), true);
  relinearised_to_levels(literal(bgv::scheme(), 65537, 4, 55), true);
  rlwe::ParametersLiteral digits = literal(bgv::scheme(), 65537, 6, 55);
  digits.special_moduli.push_back(digits.moduli.front());  // digits of two primes
  digits.moduli.erase(digits.moduli.begin());
  relinearised_to_levels(digits, true);
  rlwe::ParametersLiteral none = literal(bgv::scheme(), 2, 4, 29);
  none.special_moduli.clear();
  relinearised_to_levels(none, false);
  rlwe::ParametersLiteral several = literal(bgv::scheme(), 257, 4, 55);
  several.plain_moduli = {257, 65537};  // whose keys have errors of their own
  relinearised_to_levels(several, false);
}

TEST(each_layer_of_prince_under_encryption) {
  const Party party(literal(bgv::scheme(), 2, 4, 29));
  const Ciphertext k0 = party.encrypt(state_of(0)), k1 = party.encrypt(state_of(key1));
  for (unsigned layer = 1; layer <= 12; ++layer) {
    const Ciphertext data = party.encrypt(state_of(states[layer - 1]));
    const auto outputs = compute(circuit::prince_layers(layer, layer), party, {data, k0, k1});
    CHECK_EQ(word_of(party.decrypt(outputs[0])), states[layer]);
  }
}

TEST(layers_of_prince_in_a_row) {
  const Party party(literal(bgv::scheme(), 2, 8, 29));
  const std::vector<Ciphertext> inputs = {party.encrypt(state_of(states[5])), party.encrypt(state_of(0)),
                                          party.encrypt(state_of(key1))};
  const auto outputs = compute(circuit::prince_layers(6, 8), party, inputs);
  CHECK_EQ(word_of(party.decrypt(outputs[0])), states[8]);
  CHECK(outputs[0].level() < inputs[0].level());
}

TEST(inputs_at_different_levels_are_brought_together) {
  const Party party(literal(bgv::scheme(), 2, 6, 29));
  const Ciphertext data = scheme::switch_to_level(party.encrypt(state_of(states[2])), rlwe::Level(4));
  const Ciphertext k0 = scheme::switch_to_level(party.encrypt(state_of(0)), rlwe::Level(5));
  const auto outputs = compute(circuit::prince_layers(3, 3), party, {data, k0, party.encrypt(state_of(key1))});
  CHECK_EQ(word_of(party.decrypt(outputs[0])), states[3]);
}

TEST(several_ciphertexts_for_each_wire) {
  const Party party(literal(bgv::scheme(), 2, 4, 29));
  // Wire after wire, the two blocks of each side by side.
  const auto both = [&](std::uint64_t a, std::uint64_t b) {
    const Residues x = state_of(a), y = state_of(b);
    Residues mixed;
    for (std::size_t i = 0; i < 64; ++i) mixed.insert(mixed.end(), {x[i], y[i]});
    return party.encrypt(mixed);
  };
  const auto outputs =
      compute(circuit::prince_layers(2, 2), party, {both(states[1], states[1]), both(0, 0), both(key1, 0)}, 2);
  const Residues bits = party.decrypt(outputs[0]);
  Residues first, second;
  for (std::size_t i = 0; i < 128; i += 2) {
    first.push_back(bits[i]);
    second.push_back(bits[i + 1]);
  }
  CHECK_EQ(word_of(first), states[2]);
  CHECK_EQ(word_of(second),
           word_of(check::run_plain(circuit::prince_layers(2, 2), {state_of(states[1]), state_of(0), state_of(0)})[0]));
}

Residues bits_of(const Residues& values, std::size_t bits) {
  Residues result;
  for (const std::uint64_t value : values) append_bits(result, value, bits);
  return result;
}

TEST(sorting_bits_with_ties) {
  const Party party(literal(bgv::scheme(), 2, 9, 29));
  const Residues values = {9, 3, 9, 0, 3}, carried = {0, 1, 2, 3, 4};
  const circuit::Circuit sort = circuit::sort_circuit({.count = 5, .bits = 4, .carried = 3});
  const auto outputs = compute(sort, party, {party.encrypt(bits_of(values, 4)), party.encrypt(bits_of(carried, 3))});
  CHECK_EQ(numbers_of(party.decrypt(outputs[0]), 4, 1), Residues({0, 3, 3, 9, 9}));
  CHECK_EQ(numbers_of(party.decrypt(outputs[1]), 3, 1), Residues({3, 1, 4, 0, 2}));
}

/// Every slot sorts a list of its own.
void sort_in_slots(const Party& party) {
  constexpr std::size_t lanes = 5, count = 4, bits = 3;
  const Residues values = {5, 1, 5, 1, /**/ 7, 7, 7, 7, /**/ 0, 1, 2, 3, /**/ 3, 2, 1, 0, /**/ 6, 0, 7, 6};
  Residues slots(count * bits * lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t i = 0; i < count * bits; ++i) {
      slots[i * lanes + lane] = values[lane * count + i / bits] >> (i % bits) & 1;
    }
  }
  const circuit::Circuit sort = circuit::sort_circuit({.count = count, .bits = bits, .modulus = 65537});
  const Residues words = party.decrypt(compute(sort, party, {party.encrypt(slots, lanes)})[0], lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    Residues sorted(values.begin() + lane * count, values.begin() + (lane + 1) * count), found;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < count; ++i) found.push_back(words[i * lanes + lane]);
    CHECK_EQ(found, sorted);
  }
}

TEST(sorting_by_sums_of_ranks_in_bfv) { sort_in_slots(Party(literal(bfv::scheme(), 65537, 6, 55))); }
TEST(sorting_by_sums_of_ranks_in_bgv) { sort_in_slots(Party(literal(bgv::scheme(), 65537, 9, 55))); }

/// In both schemes over Phi_105, lists of two numbers of two bits in every slot, with ties.
void sort_over_phi_m(const rlwe::Scheme& scheme) {
  rlwe::ParametersLiteral base;
  base.scheme = &scheme;
  base.cyclotomic = 105;
  base.plain_moduli = {2};
  base.word = Word::u32;
  base.security = 0;
  base.allow_insecure = true;
  const circuit::Circuit sort = circuit::sort_circuit({.count = 2, .bits = 2});
  const circuit::Circuit* const only = &sort;
  const Party party(circuit::parameters_for({&only, 1}, base).value());
  const std::size_t lanes = party.context->parameters().slots();
  Residues slots(4 * lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t i = 0; i < 4; ++i) slots[i * lanes + lane] = (lane * 7 % 16) >> i & 1;
  }
  const Residues bits = party.decrypt(compute(sort, party, {party.encrypt(slots, lanes)})[0], lanes, lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t word = lane * 7 % 16, low = std::min(word % 4, word / 4), high = std::max(word % 4, word / 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK_EQ(bits[i * lanes + lane], (low + 4 * high) >> i & 1);
  }
}

TEST(sorting_over_phi_m_in_bfv) { sort_over_phi_m(bfv::scheme()); }
TEST(sorting_over_phi_m_in_bgv) { sort_over_phi_m(bgv::scheme()); }

TEST(what_parameters_do_not_carry_is_refused_before_work_starts) {
  const Party party(literal(bgv::scheme(), 2, 4, 29));
  const std::vector<Ciphertext> inputs(3, party.encrypt(state_of(0)));
  bool worked = false;
  const auto note = [&](std::size_t, std::size_t, const std::string&) { worked = true; };
  CHECK_THROWS_WITH(NoiseError, circuit::compute(circuit::prince_encryption(), inputs, party.keys, 1, note),
                    "24 products one after the other need 25 levels");
  CHECK(!worked);
  const std::vector<Ciphertext> low(3, scheme::switch_to_level(inputs[0], rlwe::Level(1)));
  CHECK_THROWS_WITH(NoiseError, circuit::compute(circuit::prince_layers(1, 1), low, party.keys), "level 1");
  const circuit::Plan plan = circuit::plan(circuit::prince_encryption(), party.context->parameters());
  CHECK(!plan.carried);
  CHECK(circuit::explain(circuit::prince_encryption(), plan).find("do not carry it") != std::string::npos);
}

TEST(what_does_not_belong_together_is_refused) {
  const Party party(literal(bgv::scheme(), 2, 4, 29)), slots(literal(bgv::scheme(), 65537, 4, 29));
  const circuit::Circuit equal = circuit::equal_circuit(2);
  const Ciphertext x = party.encrypt({1, 0}), y = party.encrypt({1, 1});
  CHECK_THROWS_WITH(MismatchError, circuit::compute(equal, std::vector{slots.encrypt({1, 0}), y}, party.keys), "");
  CHECK_THROWS_WITH(MismatchError,
                    circuit::compute(equal, std::vector<Ciphertext>(2, slots.encrypt({1, 0})), slots.keys), "modulo 2");
  CHECK_THROWS_WITH(ArgumentError, circuit::compute(equal, std::vector{x}, party.keys), "takes 2 inputs, not 1");
  CHECK_THROWS_WITH(ArgumentError, circuit::compute(equal, std::vector{x, party.encrypt({1})}, party.keys), "right");
  CHECK_THROWS(ArgumentError, circuit::compute(equal, std::vector{x, y}, party.keys, 0));
  CHECK_THROWS(ArgumentError, circuit::compute(equal, std::vector{x, y}, party.keys, 3));
  const auto without = std::make_shared<rlwe::EvaluationKeys>(
      rlwe::deterministic::generate_evaluation_keys(party.secret, false, {}, check::seed(3)));
  CHECK_THROWS(MissingKeyError, circuit::compute(equal, std::vector{x, y}, without));
  const Ciphertext nothing = rlwe::subtract(x, x);  // known to everybody, and so is what is made of it
  CHECK_THROWS(TransparentError, circuit::compute(equal, std::vector{nothing, nothing}, party.keys));
  const auto outputs = compute(equal, party, {x, y});
  CHECK_EQ(party.decrypt(outputs[0]), Residues({0}));
}

}  // namespace

int main() { return cyclotome::check::run(); }
