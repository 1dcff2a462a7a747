// SPDX-License-Identifier: Apache-2.0
// Every operation on arrays of BFV ciphertexts, every way to multiply, noise and planning, once each in both words:
// paths that the sanitizers should see. The Python tests look deeper.

#include <algorithm>
#include <array>

#include "bfv_fixture.hpp"
#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/planning.hpp"

namespace {

using namespace cyclotome;
using namespace cyclotome::check;

/// What `combine` makes of the values of some items, item by item.
template <class Combine>
Values by_slot(const Fixture& f, const Combine& combine) {
  const std::size_t n = f.context->degree();
  Values result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = centred(combine(i));
  return result;
}

Values item(const Fixture& f, const Values& values, std::size_t index) {
  const auto n = static_cast<std::ptrdiff_t>(f.context->degree());
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(index) * n;
  return Values(first, first + n);
}

void arrays_are_taken_apart_and_put_together(const rlwe::ParametersLiteral& p) {
  const Fixture f(p);
  const Values x = numbers(f.count(), 3), x0 = item(f, x, 0), x1 = item(f, x, 1), x2 = item(f, x, 2);
  const bfv::Ciphertext a = f.encrypt(x);
  const std::array<std::size_t, 1> last = {2};
  CHECK_EQ(f.decrypt(rlwe::take(a, last)), x2);
  const bfv::Ciphertext product = bfv::square(a);  // three parts beside two
  const std::array<const bfv::Ciphertext*, 2> both = {&a, &product};
  const bfv::Ciphertext joined = rlwe::concatenate(both);
  CHECK_EQ(joined.batch(), 2 * items);
  CHECK_EQ(joined.parts(), 3U);
  const Values halves = f.decrypt(rlwe::sum_groups(joined, items));
  CHECK_EQ(item(f, halves, 0), by_slot(f, [&](std::size_t i) { return x0[i] + x1[i] + x2[i]; }));
  CHECK_EQ(item(f, halves, 1),
           by_slot(f, [&](std::size_t i) { return centred(x0[i] * x0[i]) + centred(x1[i] * x1[i]) + x2[i] * x2[i]; }));
  const std::array<std::int64_t, 6> matrix = {1, -2, 3, 0, 100, -1};
  const Values rows = f.decrypt(rlwe::linear_combination(a, matrix, 2));
  CHECK_EQ(item(f, rows, 0), by_slot(f, [&](std::size_t i) { return x0[i] - 2 * x1[i] + 3 * x2[i]; }));
  CHECK_EQ(item(f, rows, 1), by_slot(f, [&](std::size_t i) { return 100 * x1[i] - x2[i]; }));
  const bfv::Ciphertext nothing = rlwe::add(a, rlwe::negate(a));
  CHECK(rlwe::is_transparent(nothing));
  const bfv::Ciphertext hidden = rlwe::deterministic::rerandomize(nothing, f.public_key, seed(9));
  CHECK(!rlwe::is_transparent(hidden));
  CHECK_EQ(f.decrypt(hidden), Values(f.count(), 0));
  CHECK_EQ(f.decrypt(scheme::subtract_plain(a, f.plain(x))), Values(f.count(), 0));
  CHECK_EQ(f.decrypt(rlwe::subtract(product, a)),  // a has no third part
           f.decrypt(rlwe::add(rlwe::negate(a), product)));
}

void every_method_multiplies(const rlwe::ParametersLiteral& p) {
  const Fixture f(p);
  const Values x = numbers(f.count(), 5);
  const bfv::Ciphertext a = f.encrypt(x), noisy = rlwe::multiply_scalar(a, 1 << 16);
  Values expected(x);
  for (std::int64_t& value : expected) value = centred(centred(value * value) * (1 << 16));
  for (const auto method :
       {bfv::ProductMethod::behz, bfv::ProductMethod::hps_over_q, bfv::ProductMethod::hps_over_q_leveled}) {
    CHECK_EQ(f.decrypt(bfv::multiply(a, noisy, method)), expected);
    CHECK_EQ(f.decrypt(bfv::multiply(noisy, a, method)), expected);
    const std::array<std::size_t, 1> first = {0};
    const bfv::Ciphertext broadcast = bfv::multiply(a, rlwe::take(noisy, first), method);
    CHECK_EQ(item(f, f.decrypt(broadcast), 0), item(f, expected, 0));
  }
}

/// Sums of products of members, repeated and at several places, whose values are as large as they can be: the message
/// of products one by one, and noise within the bound.
void sums_of_products_are_exact(const rlwe::ParametersLiteral& p) {
  const Fixture f(p);
  const auto top = static_cast<std::int64_t>(plain_modulus / 2);
  Values x = numbers(f.count(), 7), y = numbers(f.count(), 11);
  for (std::size_t i = 0; i < f.count(); i += 3) x[i] = y[i] = i % 2 == 0 ? top : -top;
  const bfv::Ciphertext a = f.encrypt(x), b = f.encrypt(y), noisy = rlwe::multiply_scalar(b, 1 << 15);
  const std::vector<rlwe::Member> left = {{&a, 0}, {&b, 2}, {&a, 0}, {&a, 1}, {&a, 1}, {&a, 1}},
                                  right = {{&b, 1}, {&b, 2}, {&a, 0}, {&noisy, 1}, {&noisy, 1}, {&b, 0}};
  for (const std::size_t group : {1U, 2U, 3U, 6U}) {
    const bfv::Ciphertext sums = scheme::sum_products(left, right, group);
    CHECK_EQ(sums.parts(), 3U);
    CHECK_EQ(sums.batch(), left.size() / group);
    const bfv::Ciphertext separate = rlwe::sum_groups(scheme::multiply(rlwe::gather(left), rlwe::gather(right)), group);
    CHECK(sums.noise().log2_max <= separate.noise().log2_max + 1e-9);
    const Values found = f.decrypt(sums);
    CHECK_EQ(found, f.decrypt(separate));
    for (const double measured : scheme::measured_noise(sums, f.secret)) CHECK(measured <= sums.noise().log2_max);
    CHECK_EQ(f.decrypt(rlwe::relinearize(sums, f.evaluation)), found);
  }
  const bfv::Ciphertext low = scheme::switch_to_level(a, rlwe::Level(2));  // one by one, at its level
  const std::vector<rlwe::Member> lower = {{&low, 0}, {&low, 1}}, higher = {{&a, 0}, {&a, 1}};
  CHECK_EQ(f.decrypt(scheme::sum_products(lower, lower, 2)), f.decrypt(scheme::sum_products(higher, higher, 2)));
}

void hoisted_rotations_equal_single_ones(const rlwe::ParametersLiteral& p) {
  const Fixture f(p);
  const bfv::Ciphertext a = f.encrypt(numbers(f.count(), 8));
  const std::array<std::uint64_t, 3> elements = {
      1, rlwe::row_rotation_element(RingShape::negacyclic(p.degree)->galois(), 2),
      rlwe::column_rotation_element(RingShape::negacyclic(p.degree)->galois())};
  const auto moved = rlwe::apply_galois_hoisted(a, elements, f.evaluation);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    CHECK_EQ(f.decrypt(moved[i]), f.decrypt(rlwe::apply_galois(a, elements[i], f.evaluation)));
  }
}

void noise_is_measured_and_bounded(const rlwe::ParametersLiteral& p) {
  const Fixture f(p);
  const bfv::Ciphertext a = f.encrypt(numbers(f.count(), 8)), square = bfv::square(a);
  for (const bfv::Ciphertext* const c : {&a, &square}) {
    const auto measured = scheme::measured_noise(*c, f.secret);
    CHECK_EQ(measured.size(), items);
    CHECK(*std::max_element(measured.begin(), measured.end()) <= c->noise().log2_max);
    CHECK(static_cast<double>(scheme::noise_budget(*c, f.secret)[0]) + 1 >= scheme::noise_headroom(*c));
  }
  CHECK(scheme::noise_budget(square, f.secret)[0] < scheme::noise_budget(a, f.secret)[0]);
}

TEST(arrays_in_64_bit_words) { arrays_are_taken_apart_and_put_together(literal(Word::u64, 1)); }
TEST(arrays_in_32_bit_words) { arrays_are_taken_apart_and_put_together(literal(Word::u32, 2)); }
TEST(products_in_64_bit_words) { every_method_multiplies(literal(Word::u64, 1)); }
TEST(products_in_32_bit_words) { every_method_multiplies(literal(Word::u32, 0)); }
TEST(sums_in_64_bit_words) { sums_of_products_are_exact(literal(Word::u64, 1)); }
TEST(sums_in_32_bit_words) { sums_of_products_are_exact(literal(Word::u32, 2)); }
TEST(hoisting_in_64_bit_words) { hoisted_rotations_equal_single_ones(literal(Word::u64, 0)); }
TEST(hoisting_in_32_bit_words) { hoisted_rotations_equal_single_ones(literal(Word::u32, 2)); }
TEST(noise_in_64_bit_words) { noise_is_measured_and_bounded(literal(Word::u64, 1)); }
TEST(noise_in_32_bit_words) { noise_is_measured_and_bounded(literal(Word::u32, 2)); }

TEST(coefficients_multiply_as_polynomials) {
  rlwe::ParametersLiteral p = literal(Word::u64, 1);
  p.plain_moduli = {1024, plain_modulus};
  const Fixture f(p);
  const Values x = {1, 2}, y = {-3, 5, 7};  // (1 + 2x)(-3 + 5x + 7x^2) = -3 - x + 17x^2 + 14x^3
  const auto encrypted = [&](const Values& values) {
    return scheme::deterministic::encrypt(
        encode_residues(f.context, rlwe::PlainIndex(0), Encoding::Kind::coefficients, values, 1, values.size()),
        f.public_key, seed(static_cast<std::uint8_t>(values.size())));
  };
  const bfv::Ciphertext product = bfv::multiply(encrypted(x), encrypted(y));
  Values decoded = decode_residues(scheme::decrypt(product, f.secret), Encoding::Kind::coefficients);
  decoded.resize(5);
  CHECK_EQ(decoded, (Values{-3, -1, 17, 14, 0}));
  CHECK_THROWS_WITH(ParameterError, encode_residues(f.context, rlwe::PlainIndex(0), Encoding::Kind::slots, x, 1, 2),
                    "1024 has no slots");
}

TEST(a_secret_key_comes_back_from_its_coefficients) {
  const Fixture f(literal(Word::u32, 2));
  ZeroisingVector<std::int8_t> coefficients = f.secret.coefficients();
  const auto again = rlwe::SecretKey::from_coefficients(f.context, coefficients, f.secret.id());
  const Values x = numbers(f.count(), 21);
  CHECK_EQ(decode_residues(scheme::decrypt(f.encrypt(x), again), Encoding::Kind::slots), x);
  coefficients[17] = 2;
  CHECK_THROWS(FormatError, rlwe::SecretKey::from_coefficients(f.context, coefficients, f.secret.id()));
}

TEST(planning_suggests_explains_and_names) {
  scheme::Intent intent;
  intent.depth = 1;
  intent.value_bits = 8;
  const rlwe::Parameters suggested = scheme::suggest(intent);
  CHECK(!suggested.insecure());
  CHECK(scheme::noise_by_depth(suggested).size() >= 2);
  CHECK(scheme::explain(suggested).find("128 bits") != std::string::npos);
  for (const std::string& name : scheme::preset_names()) CHECK_EQ(scheme::preset(name, true).name(), name);
  CHECK_THROWS(ParameterError, scheme::preset("none"));
  intent.depth = 100;
  CHECK_THROWS_WITH(ParameterError, scheme::suggest(intent), "at most 64");
}

}  // namespace

int main() { return cyclotome::check::run(); }
