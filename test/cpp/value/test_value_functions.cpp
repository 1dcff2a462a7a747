// SPDX-License-Identifier: Apache-2.0
// Polynomials, comparisons, selections and order of encrypted integers: how many products the plans take, what they
// compute, and refusals. The oracles are sums of powers, and comparisons of plain integers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/value/functions/evaluation_plan.hpp"
#include "value_party.hpp"

namespace {

using namespace cyclotome;
using check::ValueParty;
using value::EncryptedArray;
using value::EvaluationPlan;
using value::Integers;
using value::PlainModulus;
using value::ResiduePolynomial;

using Numbers = std::vector<std::int64_t>;
constexpr std::uint64_t t = 65537;

const ValueParty& party(bool bgv) {
  static const ValueParty one(&bfv::scheme(), {t}, 8), other(&bgv::scheme(), {t}, 10);
  return bgv ? other : one;
}

/// What a plan makes of a number, step by step: its own account of powers and products.
std::uint64_t computed_in_clear(const EvaluationPlan& plan, std::uint64_t x, const PlainModulus& q) {
  const auto form = [&](const EvaluationPlan::Form& of) {
    std::uint64_t sum = of.constant;
    for (const auto& term : of.terms) sum = q.add(sum, q.multiply(q.power(x, term.exponent), term.factor));
    return sum;
  };
  std::vector<std::uint64_t> values;
  for (const auto& node : plan.nodes) {
    std::uint64_t value = form(node.form);
    if (node.left) value = q.add(value, q.multiply(values[*node.left], values[*node.right]));
    if (node.rest) value = q.add(value, values[*node.rest]);
    values.push_back(value);
  }
  return values[plan.roots.front()];
}

std::uint64_t horner(const ResiduePolynomial& f, std::uint64_t x, const PlainModulus& q) {
  std::uint64_t value = 0;
  for (std::size_t i = f.size(); i-- > 0;) value = q.add(q.multiply(value, x), f[i]);
  return value;
}

/// Other numbers in every run; CYCLOTOME_TEST_SEED repeats one.
std::mt19937_64 generator() {
  const char* const given = std::getenv("CYCLOTOME_TEST_SEED");
  const std::uint64_t seed = given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::cout << "repeat with CYCLOTOME_TEST_SEED=" << seed << '\n';
  return std::mt19937_64(seed);
}

ResiduePolynomial random_polynomial(std::mt19937_64& random, std::size_t degree, const PlainModulus& q) {
  ResiduePolynomial f;
  for (std::size_t i = 0; i <= degree; ++i) f.push_back(random() % q.value());
  f.back() = 1 + random() % (q.value() - 1);
  return f;
}

EvaluationPlan plan_of(const ResiduePolynomial& f, const PlainModulus& q, const value::EvaluationDomain& domain = {}) {
  const ResiduePolynomial one[] = {f};
  return value::evaluation_plan(one, q, domain);
}

Numbers opened(const EncryptedArray& x, bool bgv) { return value::decrypt(x, party(bgv).secret).to_int64(); }

}  // namespace

TEST(plans_compute_their_polynomials_with_few_products) {
  const PlainModulus q(t);
  std::mt19937_64 random = generator();
  for (std::size_t degree = 1; degree < 130; degree += degree < 40 ? 1 : 13) {
    const ResiduePolynomial f = random_polynomial(random, degree, q);
    const EvaluationPlan plan = plan_of(f, q);
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t x = random() % t;
      CHECK_EQ(computed_in_clear(plan, x, q), horner(f, x, q));
    }
    const double least = std::sqrt(2.0 * static_cast<double>(degree)) - 2;  // Paterson and Stockmeyer's lower bound
    CHECK(static_cast<double>(plan.products) >= least - 1);
    CHECK(static_cast<double>(plan.products) <= 2 * std::sqrt(static_cast<double>(degree)) + 2);
    CHECK(plan.depth <= static_cast<unsigned>(std::bit_width(degree)) + 2);
  }
  const auto products = [&](std::size_t degree) { return plan_of(random_polynomial(random, degree, q), q).products; };
  CHECK_EQ(products(2), 1U);
  CHECK_EQ(products(3), 2U);
  CHECK_EQ(products(7), 4U);
  CHECK_EQ(plan_of(random_polynomial(random, 7, q), q).depth, 3U);
}

TEST(what_is_known_of_the_variable_saves_products) {
  const PlainModulus q(t);
  std::mt19937_64 random = generator();
  std::vector<std::uint64_t> points;
  for (std::uint64_t i = 0; i < 60; ++i) points.push_back(i);
  const ResiduePolynomial zero = value::vanishing(points, q);
  for (const std::uint64_t x : points) CHECK_EQ(horner(zero, x, q), 0U);
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < points.size(); ++i) values.push_back(random() % t);
  const ResiduePolynomial f = value::interpolated(points, values, q);
  const EvaluationPlan plan = plan_of(f, q, {zero});
  for (std::size_t i = 0; i < points.size(); ++i) CHECK_EQ(computed_in_clear(plan, points[i], q), values[i]);
  CHECK(plan.products <= plan_of(f, q).products);
}

TEST(composite_moduli_take_no_inverses) {
  const PlainModulus q(1 << 16);
  std::mt19937_64 random = generator();
  ResiduePolynomial f = random_polynomial(random, 15, q);
  f.back() = 2;
  const EvaluationPlan plan = plan_of(f, q, {{}, false});
  for (std::uint64_t x = 0; x < 50; ++x) CHECK_EQ(computed_in_clear(plan, x, q), horner(f, x, q));
}

TEST(functions_of_arrays_in_both_schemes) {
  for (const bool bgv : {false, true}) {
    const ValueParty& keys = party(bgv);
    const EncryptedArray x = keys.encrypted(Numbers{-3, 0, 2, 3}, {.bound = 3});
    const EncryptedArray y = keys.encrypted(Numbers{-3, 1, -2, 3}, {.bound = 3});
    CHECK_EQ(opened(value::polyval({1, 0, -2, 5}, x), bgv), (Numbers{-16, 5, 9, 26}));
    CHECK_EQ(value::polyval({1, 0, -2, 5}, x).bound().largest(), BigUnsigned(26));
    CHECK_EQ(opened(value::equal(x, y), bgv), (Numbers{1, 0, 0, 1}));
    CHECK_EQ(opened(value::less(x, y), bgv), (Numbers{0, 1, 0, 0}));
    CHECK_EQ(opened(value::less(x, Integers(2)), bgv), (Numbers{1, 1, 0, 0}));
    CHECK_EQ(opened(value::maximum(x, y), bgv), (Numbers{-3, 1, 2, 3}));
    CHECK_EQ(opened(value::minimum(x, Integers(1)), bgv), (Numbers{-3, 0, 1, 1}));
    CHECK_EQ(opened(value::lookup({10, 20, 30, -40}, x), bgv), (Numbers{20, 10, 30, -40}));
    CHECK_EQ(opened(value::where(value::is_zero(x), 9, x), bgv), (Numbers{-3, 9, 2, 3}));
    CHECK_EQ(value::where(value::is_zero(x), y, x).bound().largest(), BigUnsigned(3));
  }
}

TEST(equality_of_anything_modulo_a_prime) {
  const ValueParty deep(&bgv::scheme(), {257}, 14);
  Numbers all, other;
  for (std::int64_t i = 0; i < 16; ++i) all.push_back(i * 17 % 257), other.push_back(i % 3 == 0 ? i * 17 % 257 : i);
  const EncryptedArray x = deep.encrypted(all, {.wrap = true}), y = deep.encrypted(other, {.wrap = true});
  const Numbers got = value::decrypt(value::equal(x, y), deep.secret).to_int64();
  for (std::size_t i = 0; i < all.size(); ++i) CHECK_EQ(got[i], all[i] == other[i] ? 1 : 0);
  CHECK_THROWS_WITH(RangeError, value::less(x, y), "wrap around have no order");
}

TEST(order_of_rows) {
  const ValueParty& keys = party(true);
  const Integers values({4, 3}, Numbers{3, 0, 1, 1, 2, 1, 0, 3, 1, 2, 3, 0});
  const EncryptedArray x = keys.encrypted(values, {.bound = 3, .from_zero = true});
  CHECK_EQ(opened(value::sorted(x, {}), true), (Numbers{0, 0, 0, 1, 2, 1, 2, 3, 1, 3, 3, 1}));
  CHECK_EQ(opened(value::sorted(x, {.descending = true, .kept = 1}), true), (Numbers{3, 3, 1}));
  CHECK_EQ(opened(value::first_place(x, {.descending = true}), true), (Numbers{0, 2, 0}));
  CHECK_EQ(value::first_place(x, {.descending = true}).bound().largest(), BigUnsigned(3));
  CHECK_THROWS_WITH(UnsupportedError, value::sorted(x, {.axis = 1}), "lies within ciphertexts");
}

TEST(rows_that_selections_mix_add_up) {
  const ValueParty& keys = party(true);
  const value::Encryption unit{.bound = 1, .from_zero = true, .l1_bound = 1};
  const EncryptedArray x = keys.encrypted(Integers({2, 2}, Numbers{1, 0, 0, 1}), unit);
  const EncryptedArray mask = keys.encrypted(Numbers{1, 0}, {.bound = 1, .from_zero = true});
  const EncryptedArray chosen = value::where(mask, value::item(x, 0), value::item(x, 1));
  CHECK_EQ(opened(chosen, true), (Numbers{1, 1}));
  CHECK_EQ(chosen.bound().row(), BigUnsigned(2));
  const EncryptedArray most = value::sorted(x, {.descending = true, .kept = 1});
  CHECK_EQ(opened(most, true), (Numbers{1, 1}));
  CHECK_EQ(most.bound().row(), BigUnsigned(2));
}

TEST(wide_bounds_are_told_apart_or_refused) {
  const ValueParty wide(&bgv::scheme(), {40961, 65537, 114689, 147457, 163841}, 4);
  for (const std::size_t bits : {61, 62, 63, 64, 70}) {
    const BigUnsigned largest = BigUnsigned::product(std::vector<std::uint64_t>(bits, 2));
    const EncryptedArray x = wide.encrypted(Numbers{5, -3}, {.bound = largest});
    CHECK_THROWS_WITH(RangeError, value::less(x, x), "not told apart");
    CHECK_THROWS_WITH(RangeError, value::equal(x, x), "not told apart");
    CHECK_THROWS_WITH(RangeError, value::is_zero(x), "not told apart");
    CHECK_THROWS_WITH(RangeError, value::maximum(x, x), "not told apart");
  }
}

TEST(numbers_of_digits_broadcast_as_numbers) {
  const ValueParty& keys = party(true);
  const value::Encryption bits{.bound = 1, .from_zero = true};
  const EncryptedArray few = keys.encrypted(Integers({2, 2}, Numbers{1, 0, 0, 1}), bits);                  // 1, 2
  const EncryptedArray many = keys.encrypted(Integers({2, 2, 2}, Numbers{0, 0, 1, 1, 1, 1, 0, 1}), bits);  // 2 2, 1 3
  CHECK_EQ(opened(value::equal_digits(few, many), true), (Numbers{0, 1, 1, 0}));
  CHECK_EQ(opened(value::less_digits(many, few), true), (Numbers{0, 0, 0, 0}));
  CHECK_EQ(opened(value::less_digits(few, many), true), (Numbers{1, 0, 0, 1}));
  const EncryptedArray longer = keys.encrypted(Integers({3, 2}, Numbers{1, 0, 0, 1, 0, 0}), bits);
  CHECK_THROWS_WITH(ArgumentError, value::less_digits(few, longer), "of 2 and of 3 digits");
}

TEST(powers_without_a_cap) {
  const ValueParty& keys = party(true);
  const EncryptedArray x = keys.encrypted(Numbers{0, 1, -1, 5}, {.wrap = true});
  const Numbers got = opened(value::power(x, 3 + 65536 * 12345), true);  // x^(t - 1) is 1, but for 0
  CHECK_EQ(got, (Numbers{0, 1, 65536, 125}));
  const EncryptedArray y = keys.encrypted(Numbers{0, 1, -1}, {.bound = 1});
  CHECK_EQ(opened(value::power(y, 1001), true), (Numbers{0, 1, -1}));
  const EncryptedArray z = keys.encrypted(Numbers{2}, {.bound = 2});
  CHECK_THROWS_WITH(RangeError, value::power(z, 1000), "1000 bits");
}

TEST(what_is_not_negative_is_known_to_be) {
  const ValueParty& keys = party(false);
  const EncryptedArray x = keys.encrypted(Numbers{0, 7}, {.bound = 7, .from_zero = true});
  CHECK(x.bound().starts_at_zero() && (x + x).bound().starts_at_zero() && (x * x).bound().starts_at_zero());
  CHECK(!(x - x * 2).bound().starts_at_zero() && !(-x).bound().starts_at_zero());
  CHECK_EQ((x - x).bound().largest(), BigUnsigned(7));
  CHECK(!(x * Integers{-1, 1}).bound().starts_at_zero());
  CHECK_THROWS_WITH(RangeError, keys.encrypted(Numbers{3, -1}, {.bound = 7, .from_zero = true}), "below 0");
}

int main() { return check::run(); }
