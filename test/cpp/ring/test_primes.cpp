// SPDX-License-Identifier: Apache-2.0
// Primes and roots of unity against a sieve and the definition, met for the first time and again, by several threads
// and more of them than are kept.

#include <atomic>
#include <thread>
#include <vector>

#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"

namespace {

using namespace cyclotome;

constexpr std::uint64_t most = 120'000;

/// Of Eratosthenes.
const std::vector<bool>& composites() {
  static const std::vector<bool> sieve = [] {
    std::vector<bool> composite(most, false);
    composite[0] = composite[1] = true;
    for (std::uint64_t p = 2; p * p < most; ++p) {
      for (std::uint64_t n = p * p; !composite[p] && n < most; n += p) composite[n] = true;
    }
    return composite;
  }();
  return sieve;
}

std::uint64_t power_of(std::uint64_t base, std::uint64_t exponent, std::uint64_t p) {
  std::uint64_t result = 1;
  for (; exponent != 0; --exponent) result = result * base % p;
  return result;
}

/// The first x that has x^(order/2) = -1.
std::uint64_t least_root(std::uint64_t order, std::uint64_t p) {
  for (std::uint64_t x = 1; x < p; ++x) {
    if (power_of(x, order / 2, p) == p - 1) return x;
  }
  return 0;
}

}  // namespace

TEST(numbers_are_prime_or_not_at_each_look) {
  for (int look = 0; look < 2; ++look) {
    for (std::uint64_t n = 0; n < most; ++n) {
      if (is_prime(n) == composites()[n]) CHECK_EQ(n, 0U);
    }
  }
  constexpr std::uint64_t large = (std::uint64_t{1} << 61) - 1;
  for (int look = 0; look < 2; ++look) {
    CHECK(is_prime(large));
    CHECK(is_prime(18446744073709551557U));  // the largest of 64 bits
    CHECK(!is_prime(large - 2));
    CHECK(!is_prime(3215031751));           // passes the test for 2, 3, 5 and 7
    CHECK(!is_prime(3825123056546413051));  // and this for all primes to 23
    CHECK(!is_prime(std::uint64_t{2147483647} * 2147483629));
  }
}

TEST(roots_are_the_least_whoever_asks_how_often) {
  std::atomic<int> wrong{0}, asked{0};
  const auto ask = [&] {
    for (std::uint64_t p = 3; p < most; ++p) {
      if (composites()[p]) continue;
      for (std::uint64_t order = 2; (p - 1) % order == 0 && order <= 64; order *= 2) {
        const std::uint64_t root = minimal_primitive_root(order, p);
        wrong += power_of(root, order / 2, p) != p - 1;
        if (p < 3000) wrong += root != least_root(order, p);
        ++asked;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(ask);
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
  CHECK(asked.load() > 3 * 4096);  // more than are kept
  for (int look = 0; look < 2; ++look) {
    CHECK_EQ(minimal_primitive_root(1, 17), 1U);
    CHECK_THROWS(ParameterError, minimal_primitive_root(32, 17));
    CHECK_THROWS(ParameterError, minimal_primitive_root(3, 7));
    CHECK_THROWS(ParameterError, minimal_primitive_root(8, 9));  // no prime
  }
}

int main() { return check::run(); }
