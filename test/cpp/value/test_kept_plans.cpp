// SPDX-License-Identifier: Apache-2.0
// Polynomials through points, modulo primes on both sides of what vector code takes: the oracle is Horner's rule, at
// each point. And plans that are kept: made once, never more than the limits, whatever is asked for and by whom.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "cyclotome/value/functions/plan_cache.hpp"

namespace {

using namespace cyclotome;
using value::FunctionKey;
using value::FunctionPlan;
using value::PlainModulus;
using value::PlanCache;
using value::ResiduePolynomial;

/// Other numbers in every run; CYCLOTOME_TEST_SEED repeats one.
std::mt19937_64 generator() {
  const char* const given = std::getenv("CYCLOTOME_TEST_SEED");
  const std::uint64_t seed = given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::cout << "repeat with CYCLOTOME_TEST_SEED=" << seed << '\n';
  return std::mt19937_64(seed);
}

/// 2^31 lies between the two in the middle.
constexpr std::uint64_t primes[] = {2, 3, 5, 257, 65537, 2147483647, 2147483659, 4398046150657, 1152921504606830593};

/// By remainders alone.
std::uint64_t value_at(const ResiduePolynomial& f, std::uint64_t x, std::uint64_t t) {
  __extension__ typedef unsigned __int128 Wide;
  std::uint64_t value = 0;
  for (std::size_t i = f.size(); i-- > 0;)
    value = static_cast<std::uint64_t>((static_cast<Wide>(value) * x + f[i]) % t);
  return value;
}

std::vector<std::uint64_t> distinct_points(std::mt19937_64& random, std::size_t count, std::uint64_t t) {
  std::set<std::uint64_t> points{0, t - 1};  // at both ends
  while (points.size() > count) points.erase(points.begin());
  while (points.size() < count) points.insert(random() % t);
  std::vector<std::uint64_t> result(points.begin(), points.end());
  std::ranges::shuffle(result, random);
  return result;
}

FunctionKey key_of(std::uint64_t number) { return {FunctionKey::Kind::values, number}; }

/// With so many terms, and a slope to tell it by.
FunctionPlan plan_of(std::size_t terms, std::uint64_t slope) {
  FunctionPlan made;
  made.plan.nodes.resize(1);
  made.plan.nodes[0].form.terms.resize(terms);
  made.slope = slope;
  return made;
}

}  // namespace

TEST(polynomials_meet_their_points) {
  std::mt19937_64 random = generator();
  for (const std::uint64_t t : primes) {
    const PlainModulus q(t);
    for (const std::size_t count : {1U, 2U, 3U, 8U, 33U, 100U}) {
      if (count > t) continue;
      const std::vector<std::uint64_t> points = distinct_points(random, count, t);
      std::vector<std::uint64_t> values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(i % 5 == 0 ? t - 1 : random() % t);
      const ResiduePolynomial f = value::interpolated(points, values, q), zero = value::vanishing(points, q);
      CHECK(f.size() <= count && (f.empty() || f.back() != 0));
      CHECK_EQ(zero.size(), count + 1);
      CHECK_EQ(zero.back(), 1U);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK_EQ(value_at(f, points[i], t), values[i]);
        CHECK_EQ(value_at(zero, points[i], t), 0U);
      }
      ResiduePolynomial divisor;
      for (std::size_t i = 0; i < count / 2; ++i) divisor.push_back(random() % t);
      divisor.push_back(1);
      const value::Division division = value::divided(zero, divisor, q);
      CHECK(division.remainder.size() < divisor.size());
      for (int i = 0; i < 8; ++i) {
        const std::uint64_t x = random() % t;
        const std::uint64_t product = q.multiply(value_at(division.quotient, x, t), value_at(divisor, x, t));
        CHECK_EQ(q.add(product, value_at(division.remainder, x, t)), value_at(zero, x, t));
      }
    }
  }
  const PlainModulus q(65537);
  CHECK(value::interpolated({}, {}, q).empty());
  CHECK_EQ(value::vanishing({}, q), ResiduePolynomial{1});
}

TEST(a_plan_is_made_once_and_the_oldest_goes) {
  PlanCache cache({3, 1 << 20});
  int made = 0;
  const auto get = [&](std::uint64_t number) {
    return *cache.get(key_of(number), [&] { return ++made, plan_of(1, number); })->slope;
  };
  for (const std::uint64_t number : {1U, 2U, 3U, 1U, 3U, 2U, 1U}) CHECK_EQ(get(number), number);
  CHECK_EQ(made, 3);
  CHECK_EQ(get(4), 4U);  // in place of 3, which was used longest ago
  CHECK_EQ(cache.size(), 3U);
  for (const std::uint64_t number : {1U, 2U, 4U}) get(number);
  CHECK_EQ(made, 4);
  get(3);
  CHECK_EQ(made, 5);
}

TEST(all_that_a_function_depends_on_tells_it_apart) {
  PlanCache cache({64, 1 << 20});
  using Kind = FunctionKey::Kind;
  const FunctionKey keys[] = {{Kind::values, 7, 0, 1, {0, 1}}, {Kind::polynomial, 7, 0, 1, {0, 1}},
                              {Kind::values, 8, 0, 1, {0, 1}}, {Kind::values, 7, -1, 1, {0, 1}},
                              {Kind::values, 7, 0, 2, {0, 1}}, {Kind::values, 7, 0, 1, {1, 0}},
                              {Kind::values, 7, 0, 1, {0}},    {Kind::values, 7, 0, 1, {}}};
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < std::size(keys); ++i) {
      CHECK_EQ(*cache.get(keys[i], [&] { return plan_of(1, i); })->slope, i);
    }
  }
}

TEST(memory_is_bounded) {
  constexpr std::size_t limit = 100'000;
  PlanCache cache({1000, limit});
  std::mt19937_64 random = generator();
  for (std::uint64_t number = 0; number < 500; ++number) {
    cache.get(key_of(number), [&] { return plan_of(random() % 2000, number); });
    CHECK(cache.bytes() <= limit);
  }
  CHECK(cache.size() > 0 && cache.size() < 100);
  const std::size_t before = cache.size();
  const auto large = cache.get(key_of(1000), [] { return plan_of(limit, 1000); });  // more than a quarter of all
  CHECK_EQ(*large->slope, 1000U);
  CHECK_EQ(cache.size(), before);
  FunctionKey wide = key_of(1001);
  wide.values.resize(limit / 8);
  cache.get(wide, [] { return plan_of(1, 1001); });  // its key is
  CHECK_EQ(cache.size(), before);
}

TEST(what_fails_is_not_kept) {
  PlanCache cache({4, 1 << 20});
  CHECK_THROWS(std::runtime_error, cache.get(key_of(1), []() -> FunctionPlan { throw std::runtime_error("stopped"); }));
  CHECK_EQ(cache.size(), 0U);
  CHECK_EQ(*cache.get(key_of(1), [] { return plan_of(1, 7); })->slope, 7U);
}

TEST(threads_share_it) {
  PlanCache cache({8, 1 << 20});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      for (int i = 0; i < 3000; ++i) {
        const std::uint64_t number = random() % 20;
        const auto plan = cache.get(key_of(number), [&] { return plan_of(number, number); });
        wrong += plan->slope != number || plan->plan.nodes[0].form.terms.size() != number;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
  CHECK_EQ(cache.size(), 8U);
}

int main() { return check::run(); }
