// SPDX-License-Identifier: Apache-2.0
// Real numbers, by their operations on ciphertexts: what they give, what they say of their errors, and what they
// refuse.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"
#include "cyclotome/scheme/ckks/operations.hpp"
#include "cyclotome/scheme/ckks/parameters.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace {

using namespace cyclotome;
using ckks::Approximate;
using Values = std::vector<std::complex<double>>;

const std::size_t degree = 256, slots = degree / 2;

ckks::ScaleLiteral small() {
  ckks::ScaleLiteral literal;
  literal.degree = degree;
  literal.scale_bits = 40;
  literal.depth = 3;
  literal.result_bound = 16;
  literal.security = 0;
  literal.allow_insecure = true;
  return literal;
}

struct Party {
  rlwe::Parameters parameters = ckks::with_scale(small());
  ckks::ContextPtr context = ckks::make_context(parameters, CpuEngine::create(1));
  rlwe::SecretKey secret = rlwe::SecretKey::generate(context);
  rlwe::PublicKey public_key = rlwe::PublicKey::generate(secret);
  rlwe::EvaluationKeys keys = rlwe::EvaluationKeys::generate(
      secret, true,
      {rlwe::row_rotation_element(context->galois(), 1), rlwe::column_rotation_element(context->galois())});

  Approximate encrypted(const Values& values) const {
    return ckks::encrypt(ckks::encode(context, values, context->scale(context->max_level())), public_key, 1);
  }
  /// The largest distance of what decrypts from what should.
  double distance(const Approximate& a, const Values& expected) const {
    const ckks::Numbers found = ckks::decrypt(a, secret);
    double most = 0;
    for (std::size_t i = 0; i < slots; ++i) most = std::max(most, std::abs(found[i] - expected[i]));
    return most;
  }
  void check(const Approximate& a, const Values& expected) const {
    CHECK(distance(a, expected) <= a.error().max);
    CHECK(a.error().max < 0x1p-18);
    CHECK(a.error().rms <= a.error().max);
  }
};

const Party& party() {
  static const Party only;
  return only;
}

Values drawn(std::mt19937_64& rng) {
  std::uniform_real_distribution<double> uniform(-0.7, 0.7);
  Values values(slots);
  for (auto& value : values) value = {uniform(rng), uniform(rng)};
  return values;
}

template <class Function>
Values each(const Values& a, const Values& b, const Function& function) {
  Values out(slots);
  for (std::size_t i = 0; i < slots; ++i) out[i] = function(a[i], b[i]);
  return out;
}

}  // namespace

TEST(transform_is_its_definition) {
  const ckks::SpecialTransform transform(16);
  std::vector<double> coefficients(16);
  for (std::size_t j = 0; j < 16; ++j) coefficients[j] = static_cast<double>(j * j % 7) - 3;
  const std::vector<double> kept = coefficients;
  Values found(8);
  transform.to_slots(coefficients, 2, found);
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < 8; ++i, power = power * 3 % 32) {
    std::complex<double> value = 0;
    for (std::size_t j = 0; j < 16; ++j) {
      value += kept[j] * std::polar(0.5, std::numbers::pi * static_cast<double>(power * j) / 16);
    }
    CHECK(std::abs(value - found[i]) < 1e-13);
  }
  std::vector<double> back(16);
  transform.to_coefficients(found, 2, back);
  for (std::size_t j = 0; j < 16; ++j) CHECK(std::abs(back[j] - kept[j]) < 1e-13);
}

TEST(operations_are_as_right_as_they_say) {
  const auto seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937_64 rng(seed);
  const Party& p = party();
  const Values a = drawn(rng), b = drawn(rng);
  const Approximate x = p.encrypted(a), y = p.encrypted(b);
  const Values product = each(a, b, [](auto u, auto v) { return u * v; });
  p.check(x, a);
  p.check(ckks::add(x, y), each(a, b, [](auto u, auto v) { return u + v; }));
  p.check(ckks::subtract(x, y), each(a, b, [](auto u, auto v) { return u - v; }));
  p.check(ckks::negate(x), each(a, b, [](auto u, auto) { return -u; }));
  p.check(ckks::multiply_whole(x, -3), each(a, b, [](auto u, auto) { return -3.0 * u; }));
  p.check(ckks::multiply_constant(x, 0.3), each(a, b, [](auto u, auto) { return 0.3 * u; }));
  p.check(ckks::conjugate(x, p.keys), each(a, b, [](auto u, auto) { return std::conj(u); }));
  Values turned(slots);
  for (std::size_t i = 0; i < slots; ++i) turned[i] = a[(i + 1) % slots];
  p.check(ckks::rotate(x, 1, p.keys), turned);
  const double scale = p.context->factor_scale(x.level());
  p.check(ckks::multiply_plain(x, ckks::encode(p.context, b, scale), 1), product);
  p.check(ckks::add_plain(x, ckks::encode(p.context, b, x.scale()), 1),
          each(a, b, [](auto u, auto v) { return u + v; }));
  const Approximate xy = ckks::multiply(x, y, p.keys);
  p.check(xy, product);
  p.check(ckks::multiply(xy, xy, p.keys), each(product, b, [](auto u, auto) { return u * u; }));
  p.check(ckks::add(xy, x), each(product, a, [](auto u, auto v) { return u + v; }));  // of two levels
  const Approximate* const terms[] = {&x, &xy};
  const double factors[] = {0.25, -0.5};
  p.check(ckks::weighted_sum(terms, factors), each(a, product, [](auto u, auto v) { return 0.25 * u - 0.5 * v; }));
  for (std::size_t level = 1; level <= x.level().primes; ++level) p.check(ckks::lowered(x, rlwe::Level(level)), a);
  const Approximate* const both[] = {&x, &xy};
  const Approximate joined = ckks::concatenate(both);
  p.check(ckks::sum_groups(joined, 2), each(a, product, [](auto u, auto v) { return u + v; }));
  const std::size_t second[] = {1};
  p.check(ckks::take(joined, second), product);
}

TEST(secret_key_encryptions_are_quieter) {
  const Party& p = party();
  const Values ones(slots, 1.0);
  const auto plaintext = ckks::encode(p.context, ones, p.context->scale(p.context->max_level()));
  const Approximate quiet = ckks::encrypt(plaintext, p.secret, 1), loud = ckks::encrypt(plaintext, p.public_key, 1);
  p.check(quiet, ones);
  CHECK(quiet.error().max < loud.error().max);
  CHECK(quiet.ciphertext.uniform_seed().has_value());
}

TEST(what_leaves_its_room_is_refused) {
  const Party& p = party();
  const Approximate x = p.encrypted(Values(slots, 1.0));
  CHECK_THROWS_WITH(RangeError, ckks::multiply_whole(x, std::int64_t{1} << 30), "would leave");
  CHECK_THROWS_WITH(RangeError, ckks::multiply_constant(x, std::nan("")), "no finite number");
  const Approximate lowest = ckks::lowered(x, rlwe::Level(1));
  CHECK_THROWS_WITH(NoiseError, ckks::multiply(lowest, x, p.keys), "no level is left");
  CHECK_THROWS_WITH(NoiseError, ckks::multiply_constant(lowest, 0.5), "no level is left");
  CHECK_THROWS_WITH(ArgumentError, ckks::lowered(lowest, rlwe::Level(2)), "levels only fall");
  CHECK_THROWS_WITH(RangeError, ckks::encode(p.context, Values(slots, std::nan("")), 0x1p40), "no finite number");
  CHECK_THROWS_WITH(RangeError, ckks::encode(p.context, Values(slots, 0x1p30), 0x1p40),
                    "more than these parameters hold");
  CHECK_THROWS_WITH(ArgumentError, ckks::encode(p.context, Values(slots - 1, 1.0), 0x1p40), "a plaintext holds");
  CHECK_THROWS_WITH(UnsupportedError, scheme::reveal(x.ciphertext, p.secret, 64), "floods up to a precision");
  CHECK_THROWS_WITH(UnsupportedError, scheme::multiply(x.ciphertext, x.ciphertext), "CKKS");
}

TEST(parameters_are_checked) {
  rlwe::LatticeParameters lattice = ckks::with_scale(small()).lattice();
  const ckks::Part part(0x1p40, 1);
  static_cast<void>(rlwe::Parameters(ckks::scheme(), lattice, part));
  rlwe::LatticeParameters wide = lattice;  // the special prime no longer than 2^10 digits
  wide.special_moduli = primes_congruent_to_one(54, 2 * degree, 1, lattice.moduli);
  CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(ckks::scheme(), wide, part), "10 bits longer");
  wide.special_moduli.clear();
  CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(ckks::scheme(), wide, part), "special prime");
  rlwe::LatticeParameters other = lattice;
  other.parties = 2;
  CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(ckks::scheme(), other, part), "joint keys");
  CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(ckks::scheme(), lattice, ckks::Part(0x1p40, 0x1p16)), "no room");
  CHECK_THROWS_WITH(ParameterError, ckks::Part(0x1p19, 1), "must lie in");
  CHECK_THROWS_WITH(ParameterError, ckks::Part(0x1p40, 0), "above 0");
  ckks::Precision wanted;
  wanted.precision = 1e-3;
  const rlwe::Parameters found = ckks::suggest_reals(wanted);
  CHECK(ckks::certified_error(found, 1, 0) <= 1e-3);
  CHECK(!found.insecure());
}

int main() { return check::run(); }
