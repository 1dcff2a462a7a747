// SPDX-License-Identifier: Apache-2.0
// BGV from keys to decryption, at several levels and correction factors, in both words: paths that the sanitizers
// should see. The Python tests look deeper.

#include <array>
#include <cmath>

#include "bfv_fixture.hpp"
#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace {

using namespace cyclotome;
using check::centred;
using check::items;
using check::numbers;
using check::seed;
using check::Values;
using rlwe::Ciphertext;

rlwe::ParametersLiteral bgv_literal(Word word, std::size_t special_primes) {
  rlwe::ParametersLiteral p = check::literal(word, special_primes);
  p.scheme = &bgv::scheme();
  return p;
}

struct Party {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey public_key;
  rlwe::EvaluationKeys evaluation;

  explicit Party(const rlwe::ParametersLiteral& p)
      : context(scheme::make_context(rlwe::Parameters(p), CpuEngine::create(2))),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        public_key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(
            secret, true, rlwe::slot_sum_elements(RingShape::negacyclic(p.degree)->galois()), seed(3))) {}

  std::size_t count() const { return items * context->degree(); }
  rlwe::Plaintext plain(const Values& values) const {
    return encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, items, context->degree());
  }
  Ciphertext encrypt(const Values& values) const {
    return scheme::deterministic::encrypt(plain(values), public_key, seed(4));
  }
  Values decrypt(const Ciphertext& ciphertext) const {
    return decode_residues(scheme::decrypt(ciphertext, secret), Encoding::Kind::slots);
  }
};

void arithmetic_is_exact_at_every_level(const rlwe::ParametersLiteral& p) {
  const Party f(p);
  const Values x = numbers(f.count(), 7), y = numbers(f.count(), 12345);
  Values sum(x), difference(x), product(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[i] = centred(x[i] + y[i]);
    difference[i] = centred(x[i] - y[i]);
    product[i] = centred(x[i] * y[i]);
  }
  const Ciphertext b = scheme::deterministic::encrypt(f.plain(y), f.secret, seed(5));
  for (Ciphertext a = f.encrypt(x); a.limbs() > 2; a = bgv::switch_modulus(a)) {
    CHECK_EQ(f.decrypt(a), x);
    CHECK_EQ(f.decrypt(scheme::add(a, b)), sum);
    CHECK_EQ(f.decrypt(scheme::subtract(a, b)), difference);
    CHECK_EQ(f.decrypt(scheme::add_plain(a, f.plain(y))), sum);
    CHECK_EQ(f.decrypt(scheme::subtract_plain(a, f.plain(y))), difference);
    CHECK_EQ(f.decrypt(scheme::deterministic::rerandomize(a, f.public_key, seed(8))), x);
    const Ciphertext three_parts = scheme::multiply(a, b);
    CHECK_EQ(three_parts.parts(), 3U);
    const Ciphertext two_parts = rlwe::relinearize(three_parts, f.evaluation);
    if (scheme::noise_headroom(two_parts) < 0) break;
    CHECK_EQ(f.decrypt(three_parts), product);
    CHECK_EQ(f.decrypt(two_parts), product);
    const std::array<const Ciphertext*, 2> both = {&b, &two_parts};
    CHECK_EQ(scheme::concatenate(both).batch(), 2 * items);
    const auto measured = scheme::measured_noise(two_parts, f.secret);
    CHECK(measured[0] <= two_parts.noise().log2_max);
    CHECK(scheme::noise_budget(two_parts, f.secret)[0] < scheme::noise_budget(b, f.secret)[0]);
  }
}

void rotations_move_slots_at_a_lower_level(const rlwe::ParametersLiteral& p) {
  const Party f(p);
  const Values x = numbers(f.count(), 99);
  const Ciphertext a = bgv::switch_modulus(f.encrypt(x));
  CHECK(a.correction() != 1);
  const std::array<std::uint64_t, 3> elements = {
      1, rlwe::row_rotation_element(RingShape::negacyclic(p.degree)->galois(), 4),
      rlwe::column_rotation_element(RingShape::negacyclic(p.degree)->galois())};
  const auto moved = rlwe::apply_galois_hoisted(a, elements, f.evaluation);
  const std::size_t n = p.degree, row = n / 2;
  Values rotated(x), swapped(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t slot = i % n, base = i - slot;
    rotated[i] = x[base + slot / row * row + (slot % row + 4) % row];
    swapped[i] = x[base + (slot + row) % n];
  }
  CHECK_EQ(f.decrypt(moved[0]), x);
  CHECK_EQ(f.decrypt(moved[1]), rotated);
  CHECK_EQ(f.decrypt(moved[2]), swapped);
  CHECK_EQ(f.decrypt(rlwe::rotate_rows(a, 4, f.evaluation)), rotated);
}

TEST(arithmetic_in_64_bit_words_with_special_primes) { arithmetic_is_exact_at_every_level(bgv_literal(Word::u64, 1)); }
TEST(arithmetic_in_64_bit_words_without) { arithmetic_is_exact_at_every_level(bgv_literal(Word::u64, 0)); }
TEST(arithmetic_in_32_bit_words_with_special_primes) { arithmetic_is_exact_at_every_level(bgv_literal(Word::u32, 2)); }
TEST(arithmetic_in_32_bit_words_without) { arithmetic_is_exact_at_every_level(bgv_literal(Word::u32, 0)); }
TEST(rotations_in_64_bit_words) { rotations_move_slots_at_a_lower_level(bgv_literal(Word::u64, 1)); }
TEST(rotations_in_32_bit_words) { rotations_move_slots_at_a_lower_level(bgv_literal(Word::u32, 2)); }

std::vector<std::uint64_t> residues(const Ciphertext& a) { return a.polynomials().to_host(); }

void same(const Ciphertext& a, const Ciphertext& b) {
  CHECK_EQ(a.limbs(), b.limbs());
  CHECK_EQ(a.parts(), b.parts());
  CHECK_EQ(a.correction(), b.correction());
  CHECK(a.noise() == b.noise());
  CHECK(residues(a) == residues(b));
}

/// Members of several arrays are what the arrays put together, multiplied and summed are: residues, bounds and all.
void members_are_as_good_as_arrays(const rlwe::ParametersLiteral& p) {
  const Party f(p);
  const Ciphertext a = f.encrypt(numbers(f.count(), 3)), b = f.encrypt(numbers(f.count(), 5));
  for (std::size_t level = a.limbs(); level > 1; --level) {
    const Ciphertext x = bgv::switch_to_level(a, rlwe::Level(level)), y = bgv::switch_to_level(b, rlwe::Level(level));
    const std::vector<rlwe::Member> left = {{&x, 1}, {&y, 0}, {&x, 1}, {&x, 0}},
                                    right = {{&y, 1}, {&y, 1}, {&x, 0}, {&y, 0}};
    const std::vector<const Ciphertext*> both = {&x, &y};
    const Ciphertext all = scheme::concatenate(both);
    const std::array<std::size_t, 4> of_left = {1, items, 1, 0}, of_right = {items + 1, items + 1, 0, items};
    const Ciphertext l = rlwe::take(all, of_left), r = rlwe::take(all, of_right);
    same(rlwe::gather(left), l);
    same(rlwe::gather(right, 2), rlwe::sum_groups(r, 2));
    const Ciphertext products = scheme::multiply(l, r);
    same(scheme::sum_products(left, right), products);
    same(scheme::sum_products(left, right, 4), rlwe::sum_groups(products, 4));
    same(scheme::sum_products(left, left, 2), rlwe::sum_groups(scheme::square(l), 2));
    if (products.limbs() != level) continue;
    const std::array<const Ciphertext*, 2> mixed = {&products, &l};
    const std::vector<rlwe::Member> of_both = {{&products, 2}, {&l, 3}};
    const std::array<std::size_t, 2> numbers_of_both = {2, 7};
    if (products.correction() == l.correction()) {
      same(rlwe::gather(of_both), rlwe::take(scheme::concatenate(mixed), numbers_of_both));
    }
  }
}

TEST(members_in_64_bit_words) { members_are_as_good_as_arrays(bgv_literal(Word::u64, 1)); }
TEST(members_in_32_bit_words) { members_are_as_good_as_arrays(bgv_literal(Word::u32, 2)); }

TEST(members_that_do_not_belong_together_are_refused) {
  const Party f(bgv_literal(Word::u64, 1)), other_party(bgv_literal(Word::u64, 1));
  const Ciphertext a = f.encrypt(numbers(f.count(), 1)), low = bgv::switch_modulus(a), square = scheme::square(a);
  const Ciphertext other = other_party.encrypt(numbers(f.count(), 1));
  const std::vector<rlwe::Member> none, two = {{&a, 0}, {&a, 1}}, far = {{&a, items}}, levels = {{&a, 0}, {&low, 0}},
                                        strangers = {{&a, 0}, {&other, 0}}, products = {{&square, 0}, {&square, 1}},
                                        others = {{&other, 0}, {&other, 1}}, one = {{&a, 0}};
  CHECK_THROWS_WITH(ArgumentError, rlwe::gather(none), "no ciphertexts");
  CHECK_THROWS_WITH(ArgumentError, rlwe::gather(far), "of a batch of");
  CHECK_THROWS_WITH(ArgumentError, rlwe::gather(two, 0), "no groups of 0");
  CHECK_THROWS_WITH(ArgumentError, rlwe::gather(two, 3), "no groups of 3");
  CHECK_THROWS_WITH(MismatchError, rlwe::gather(levels), "levels");
  CHECK_THROWS(MismatchError, rlwe::gather(strangers));
  CHECK_THROWS_WITH(ArgumentError, scheme::sum_products(two, products), "relinearise");
  CHECK_THROWS_WITH(ArgumentError, scheme::sum_products(two, one), "there must be as many");
  CHECK_THROWS_WITH(ArgumentError, scheme::sum_products(two, two, 0), "no groups of 0");
  CHECK_THROWS(MismatchError, scheme::sum_products(two, others));
  CHECK_THROWS(ArgumentError, scheme::sum_products(none, none));
}

TEST(decryption_refuses_before_it_returns_garbage) {
  const Party f(bgv_literal(Word::u64, 1));
  Ciphertext power = f.encrypt(numbers(f.count(), 3));
  bool refused = false;
  for (int depth = 0; depth < 16 && !refused; ++depth) {
    power = rlwe::relinearize(scheme::square(power), f.evaluation);
    refused = scheme::noise_headroom(power) < 0;
  }
  CHECK(refused);
  CHECK_THROWS(NoiseError, scheme::decrypt(power, f.secret));
}

TEST(what_does_not_belong_together_is_refused) {
  const Party f(bgv_literal(Word::u64, 1)), other_party(check::literal(Word::u64, 1));
  const Ciphertext a = f.encrypt(numbers(f.count(), 1));
  CHECK_THROWS(MismatchError, scheme::decrypt(a, other_party.secret));
  CHECK_THROWS(MismatchError, rlwe::add(a, bgv::switch_modulus(a)));
  CHECK_THROWS(ArgumentError, bgv::switch_to_level(a, rlwe::Level(0)));
  CHECK_THROWS(ArgumentError, bgv::switch_to_level(a, rlwe::Level(a.limbs() + 1)));
  CHECK_THROWS(ArgumentError, bgv::switch_modulus(bgv::switch_to_level(a, rlwe::Level(1))));
  CHECK_THROWS(ParameterError, bgv::make_context(other_party.context->parameters(), f.context->engine()));
  const Ciphertext other =
      scheme::deterministic::encrypt(other_party.plain(numbers(f.count(), 1)), other_party.public_key, seed(9));
  CHECK_THROWS(MismatchError, bgv::switch_to_level(other, rlwe::Level(1)));
  // Each context, given the other's ciphertexts: no number, which could only be a wrong one.
  const rlwe::Context &bgv_context = *f.context, &bfv_context = *other_party.context;
  CHECK_THROWS(MismatchError, bgv_context.noise_headroom(other));
  CHECK_THROWS(MismatchError, bgv_context.noise_budget(other, other_party.secret));
  CHECK_THROWS(MismatchError, bgv_context.measured_noise(other, other_party.secret));
  CHECK_THROWS(MismatchError, bgv_context.decrypt(other, other_party.secret));
  CHECK_THROWS(MismatchError, bgv_context.decrypt_unchecked(other, other_party.secret));
  CHECK_THROWS(MismatchError, bgv_context.reveal(other, other_party.secret, 1));
  CHECK_THROWS(MismatchError, bgv_context.encrypt(other_party.plain(numbers(f.count(), 1)), other_party.secret));
  CHECK_THROWS(MismatchError, bgv_context.add_plain(other, other_party.plain(numbers(f.count(), 1))));
  CHECK_THROWS(MismatchError, bgv_context.multiply(other, other));
  CHECK_THROWS(MismatchError, bgv_context.switch_to_level(other, rlwe::Level(1)));
  CHECK_THROWS(MismatchError, bfv_context.noise_headroom(a));
  CHECK_THROWS(MismatchError, bfv_context.noise_budget(a, f.secret));
  CHECK_THROWS(MismatchError, bfv_context.decrypt(a, f.secret));
  CHECK_THROWS(MismatchError, bfv_context.subtract_plain(a, f.plain(numbers(f.count(), 1))));
  CHECK_THROWS(MismatchError, bfv_context.square(a));
  CHECK_THROWS_WITH(MismatchError, bgv::best_product_level(other, other), "a BGV operation");
  CHECK_THROWS_WITH(MismatchError, bfv::multiply(a, a), "a BFV operation");
}

TEST(planning_knows_levels) {
  scheme::Intent intent;
  intent.scheme = &bgv::scheme();
  intent.depth = 2;
  intent.value_bits = 4;
  const rlwe::Parameters suggested = scheme::suggest(intent);
  CHECK(!suggested.insecure());
  const auto states = scheme::noise_by_depth(suggested);
  CHECK(states.size() >= 3);
  for (std::size_t i = 1; i < states.size(); ++i) CHECK(states[i].level <= states[i - 1].level);
}

}  // namespace

int main() { return cyclotome::check::run(); }
