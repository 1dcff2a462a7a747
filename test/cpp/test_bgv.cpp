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
