// SPDX-License-Identifier: Apache-2.0
// The GPU takes and refuses the keys that the host does: at limits that are what the host finds, and one unit in the
// last place below; so both find the same bits. One seed makes one key on either, whoever else makes keys meanwhile.
// Needs a GPU; without one it says so and exits with 77.
#include <atomic>
#include <cmath>
#include <thread>

#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/noise/key_check.hpp"
#include "cyclotome/rlwe/noise/norm_constants.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "engines.hpp"
#include "seed.hpp"

using namespace cyclotome;
using check::device;
using check::host;

namespace {

rlwe::CanonicalSquares squares_of(const std::vector<std::uint64_t>& residues, const PolyArray& a, std::size_t item) {
  const std::size_t n = a.degree();
  const std::uint64_t q = a.ring()->basis()[0];
  std::vector<std::int64_t> integers(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t x = residues[item * (residues.size() / a.batch()) + i];
    integers[i] = x > q / 2 ? -static_cast<std::int64_t>(q - x) : static_cast<std::int64_t>(x);
  }
  return rlwe::CanonicalEmbedding::of(*a.ring()->shape()).squares(integers, rlwe::any_magnitude);
}

std::vector<std::uint64_t> verdicts(const PolyArray& a, double largest, double sum) {
  auto& checks = dynamic_cast<NormChecks&>(*device());
  const auto numbers = device()->make_numbers(a.batch());
  checks.check_norms(numbers->view(), a.view(), rlwe::norm_constants(*a.ring()->shape()), {largest, sum});
  std::vector<std::uint64_t> found(a.batch(), 2);
  numbers->take(found.data());
  return found;
}

double below(double x) { return std::nextafter(x, 0); }

void check_limits(const RingShapePtr& shape, Word word, std::size_t items) {
  const auto primes = primes_congruent_to_one(word == Word::u32 ? 30 : 60, shape->transform_step(), 2);
  const RingPtr ring = Ring::create(shape, Basis(word, primes));
  for (const Law law : {Law::ternary, Law::error}) {
    PolyArray a(device(), ring, items, 1, Domain::coefficient, true);
    device()->sample(a.view(), law, check::seed(static_cast<std::uint8_t>(items)), Stream::secret, 5);
    const auto residues = a.to_host();
    std::vector<rlwe::CanonicalSquares> right;
    for (std::size_t i = 0; i < items; ++i) right.push_back(squares_of(residues, a, i));
    for (std::size_t i = 0; i < items; ++i) {
      const auto passes = [&](double largest, double sum) {
        std::vector<std::uint64_t> expected;
        for (const auto& each : right) expected.push_back(each.largest <= largest && each.sum <= sum ? 1 : 0);
        const auto found = verdicts(a, largest, sum);
        CHECK(found == expected);
        return found[i];
      };
      CHECK_EQ(passes(right[i].largest, right[i].sum), std::uint64_t{1});
      CHECK_EQ(passes(below(right[i].largest), right[i].sum), std::uint64_t{0});
      CHECK_EQ(passes(right[i].largest, below(right[i].sum)), std::uint64_t{0});
    }
  }
}

TEST(limits_hold_to_the_last_bit_in_powers_of_two) {
  for (std::size_t n = 4; n <= RingShape::max_degree; n *= 2) {
    for (const Word word : {Word::u32, Word::u64}) check_limits(RingShape::negacyclic(n), word, n < 4096 ? 5 : 2);
  }
}

TEST(limits_hold_to_the_last_bit_over_cyclotomic_rings) {
  for (const std::uint64_t m : {3, 7, 15, 105, 127, 257, 1285, 8191, 21845, 65535}) {
    for (const Word word : {Word::u32, Word::u64}) check_limits(RingShape::cyclotomic(m), word, 2);
  }
}

/// And where there are more than the host's memory has words for.
TEST(batches_have_a_verdict_each) {
  const RingPtr ring = Ring::create(RingShape::negacyclic(8), Basis(Word::u32, primes_congruent_to_one(30, 16, 1)));
  PolyArray a(device(), ring, 5000, 1, Domain::coefficient, true);
  device()->sample(a.view(), Law::error, check::seed(3), Stream::secret);
  const auto residues = a.to_host();
  const double middle = squares_of(residues, a, 0).largest;
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < a.batch(); ++i) expected.push_back(squares_of(residues, a, i).largest <= middle ? 1 : 0);
  CHECK(verdicts(a, middle, 0x1p60) == expected);
}

TEST(one_seed_makes_one_key_on_either_engine) {
  for (const auto& [degree, bits] : {std::pair<std::size_t, unsigned>{1024, 60}, {4096, 100}, {16384, 200}}) {
    for (const Word word : {Word::u32, Word::u64}) {
      const auto parameters = check::planned(&bfv::scheme(), degree, bits, word, true);
      const auto on_host = scheme::make_context(parameters, host());
      const auto there = scheme::make_context(parameters, device());
      for (std::uint8_t k = 0; k < 40; ++k) {
        const auto s = rlwe::deterministic::generate_secret_key(on_host, check::seed(k));
        const auto [t, q] = rlwe::deterministic::generate_key_pair(there, check::seed(k), check::seed(k));
        CHECK(s.coefficients() == t.coefficients());
        const auto p = rlwe::deterministic::generate_public_key(s, check::seed(k));
        CHECK(p.polynomials().to_host() == q.polynomials().to_host());
      }
    }
  }
}

TEST(many_threads_make_the_keys_of_their_seeds) {
  const auto parameters = check::planned(&bgv::scheme(), 32768, 300, Word::u64, true);
  const auto context = scheme::make_context(parameters, device());
  const auto key = [&](std::uint8_t k) {
    const auto s = rlwe::deterministic::generate_secret_key(context, check::seed(k));
    return rlwe::deterministic::generate_public_key(s, check::seed(k)).polynomials().to_host();
  };
  const auto right = key(1), other = key(2);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint8_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) wrong += key(t % 2 == 0 ? 1 : 2) == (t % 2 == 0 ? right : other) ? 0 : 1;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

TEST(what_is_no_small_polynomial_is_refused) {
  const RingPtr ring = Ring::create(RingShape::negacyclic(64), Basis(Word::u32, primes_congruent_to_one(30, 128, 1)));
  const PolyArray two(device(), ring, 1, 2, Domain::coefficient, true), moved(device(), ring, 1, 1, Domain::transform);
  for (const PolyArray* const a : {&two, &moved}) {
    CHECK_THROWS_WITH(ArgumentError, verdicts(*a, 1, 1), "coefficient domain");
  }
}

}  // namespace

int main() { return check::run_on_device(); }
