// SPDX-License-Identifier: Apache-2.0
// BFV from keys to decryption, in both words and with both kinds of key switching, against products of integers. The
// Python tests look deeper; this program is what the sanitizers run through.

#include <limits>

#include "bfv_fixture.hpp"
#include "check.hpp"
#include "cyclotome/math/errors.hpp"

namespace {

using namespace cyclotome;
using namespace cyclotome::check;

void arithmetic_is_exact(const rlwe::ParametersLiteral& p) {
  const Fixture f(p);
  const Values x = numbers(f.count(), 7), y = numbers(f.count(), 12345);
  const bfv::Ciphertext a = f.encrypt(x), b = scheme::deterministic::encrypt(f.plain(y), f.secret, seed(5));
  CHECK_EQ(f.decrypt(a), x);
  CHECK_EQ(f.decrypt(b), y);

  Values sum(x), difference(x), product(x), shifted(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[i] = centred(x[i] + y[i]);
    difference[i] = centred(x[i] - y[i]);
    product[i] = centred(x[i] * y[i]);
    shifted[i] = centred(x[i] * x[i] - 5 * x[i] + y[i]);
  }
  CHECK_EQ(f.decrypt(rlwe::add(a, b)), sum);
  CHECK_EQ(f.decrypt(rlwe::subtract(a, b)), difference);
  CHECK_EQ(f.decrypt(scheme::add_plain(a, f.plain(y))), sum);
  CHECK_EQ(f.decrypt(rlwe::multiply_plain(a, f.plain(y))), product);

  const bfv::Ciphertext three_parts = bfv::multiply(a, b);
  CHECK_EQ(three_parts.parts(), 3U);
  CHECK_EQ(f.decrypt(three_parts), product);
  CHECK_EQ(f.decrypt(rlwe::relinearize(three_parts, f.evaluation)), product);
  const bfv::Ciphertext square = rlwe::relinearize(bfv::square(a), f.evaluation);
  CHECK_EQ(f.decrypt(rlwe::add(rlwe::add(square, rlwe::multiply_scalar(a, -5)), b)), shifted);
}

void rotations_move_slots(const rlwe::ParametersLiteral& p) {
  const Fixture f(p);
  const Values x = numbers(f.count(), 99);
  const bfv::Ciphertext a = f.encrypt(x);
  const std::size_t n = f.context->degree(), row = n / 2;
  Values rotated(x), swapped(x), total(x);
  for (std::size_t item = 0; item < items; ++item) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t base = item * n + i / row * row;
      rotated[item * n + i] = x[base + (i % row + 4) % row];
      swapped[item * n + i] = x[item * n + (i + row) % n];
      sum += x[item * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) total[item * n + i] = centred(sum);
  }
  CHECK_EQ(f.decrypt(rlwe::rotate_rows(a, 4, f.evaluation)), rotated);
  CHECK_EQ(f.decrypt(rlwe::rotate_columns(a, f.evaluation)), swapped);
  CHECK_EQ(f.decrypt(rlwe::sum_slots(a, f.evaluation)), total);
}

TEST(arithmetic_in_64_bit_words_with_special_primes) { arithmetic_is_exact(literal(Word::u64, 1)); }
TEST(arithmetic_in_64_bit_words_without_special_primes) { arithmetic_is_exact(literal(Word::u64, 0)); }
TEST(arithmetic_in_32_bit_words_with_special_primes) { arithmetic_is_exact(literal(Word::u32, 2)); }
TEST(arithmetic_in_32_bit_words_without_special_primes) { arithmetic_is_exact(literal(Word::u32, 0)); }
TEST(rotations_in_64_bit_words) { rotations_move_slots(literal(Word::u64, 1)); }
TEST(rotations_in_32_bit_words) { rotations_move_slots(literal(Word::u32, 2)); }

TEST(decryption_refuses_before_it_returns_garbage) {
  const Fixture f(literal(Word::u64, 1));
  bfv::Ciphertext power = f.encrypt(numbers(f.count(), 3));
  bool refused = false;
  for (int depth = 0; depth < 16 && !refused; ++depth) {
    power = rlwe::relinearize(bfv::square(power), f.evaluation);
    refused = scheme::noise_headroom(power) < 0;
  }
  CHECK(refused);
  CHECK_THROWS(NoiseError, scheme::decrypt(power, f.secret));
}

TEST(what_does_not_belong_together_is_refused) {
  const Fixture f(literal(Word::u64, 1)), stranger(literal(Word::u64, 0));
  const Values x = numbers(f.count(), 1);
  const bfv::Ciphertext a = f.encrypt(x);
  CHECK_THROWS(MismatchError, rlwe::add(a, stranger.encrypt(x)));
  CHECK_THROWS(MismatchError, scheme::decrypt(a, stranger.secret));
  CHECK_THROWS(MismatchError, scheme::decrypt(a, rlwe::deterministic::generate_secret_key(f.context, seed(77))));
  const auto no_keys = rlwe::deterministic::generate_evaluation_keys(f.secret, false, {}, seed(6));
  CHECK_THROWS(MissingKeyError, rlwe::relinearize(bfv::square(a), no_keys));
  CHECK_THROWS(MissingKeyError, rlwe::rotate_rows(a, 1, no_keys));
}

TEST(values_and_parameters_out_of_range_are_refused) {
  const Fixture f(literal(Word::u64, 1));
  Values x(f.count(), 0);
  x.back() = 32769;  // t/2 = 32768.5
  CHECK_THROWS_WITH(RangeError, f.plain(x), "32769");
  x.back() = std::numeric_limits<std::int64_t>::min();
  CHECK_THROWS(RangeError, f.plain(x));
  rlwe::ParametersLiteral p = literal(Word::u64, 1);
  p.allow_insecure = false;
  p.security = 128;
  CHECK_THROWS(SecurityError, rlwe::Parameters(p));
  p = literal(Word::u64, 1);
  p.moduli[0] += 2;
  CHECK_THROWS(ParameterError, rlwe::Parameters(p));
}

}  // namespace

int main() { return cyclotome::check::run(); }
