// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/primes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome {

namespace {

std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t b, std::uint64_t m) noexcept {
  return static_cast<std::uint64_t>(static_cast<u128>(a) * b % m);
}

std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t m) noexcept {
  std::uint64_t result = 1 % m;
  for (base %= m; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply_mod(result, base, m);
    base = multiply_mod(base, base, m);
  }
  return result;
}

/// Looks at all of them.
std::uint64_t found_root(std::uint64_t order, std::uint64_t p) {
  const Modulus<std::uint64_t> modulus(p);
  std::uint64_t root = 0;
  for (std::uint64_t candidate = 2; candidate < p; ++candidate) {
    const std::uint64_t power = modulus.power(candidate, (p - 1) / order);
    if (modulus.power(power, order / 2) == p - 1) {
      root = power;
      break;
    }
    if (candidate > 10000) break;  // half of all candidates succeed for a prime
  }
  if (root == 0) {
    throw ParameterError(message("no primitive root of order ", order, " was found modulo ", p, "; is it prime?"));
  }
  // The primitive roots of this order are the odd powers of one of them.
  const std::uint64_t square = modulus.multiply(root, root);
  std::uint64_t minimal = root;
  for (std::uint64_t i = 1; i < order / 2; ++i) {
    root = modulus.multiply(root, square);
    minimal = std::min(minimal, root);
  }
  return minimal;
}

/// Found before, or now. It depends on the two numbers alone and takes `order` products to find, which contexts of the
/// same primes, as many as a search for parameters tries, need not do again.
std::uint64_t kept_root(std::uint64_t order, std::uint64_t p) {
  constexpr std::size_t most = 4096;
  static std::mutex mutex;
  static auto& roots = *new std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;  // outlives all threads
  const std::pair key{order, p};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = roots.find(key); found != roots.end()) return found->second;
  }
  const std::uint64_t root = found_root(order, p);
  const std::lock_guard lock(mutex);
  if (roots.size() >= most) roots.clear();
  return roots[key] = root;
}

/// Primes that were met last, by a hash of them: searches for moduli meet the same ones again and again. 32 KiB.
class KnownPrimes {
 public:
  bool contain(std::uint64_t p) const noexcept { return place(p).load(std::memory_order_relaxed) == p; }
  void add(std::uint64_t p) const noexcept { place(p).store(p, std::memory_order_relaxed); }

 private:
  static constexpr unsigned bits = 12;
  static std::atomic<std::uint64_t>& place(std::uint64_t p) noexcept {
    static std::array<std::atomic<std::uint64_t>, std::size_t{1} << bits> places{};
    return places[p * 0x9e3779b97f4a7c15 >> (64 - bits)];
  }
};

}  // namespace

bool is_prime(std::uint64_t n) noexcept {
  // These twelve bases decide every n < 3.18e23 (Sorenson and Webster, 2015).
  constexpr std::uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (n < 2) return false;
  for (const auto p : bases) {
    if (n % p == 0) return n == p;
  }
  constexpr KnownPrimes known;
  if (known.contain(n)) return true;
  const int twos = std::countr_zero(n - 1);
  const std::uint64_t odd = (n - 1) >> twos;
  const bool passes = std::all_of(std::begin(bases), std::end(bases), [&](std::uint64_t base) {
    std::uint64_t x = power_mod(base, odd, n);
    if (x == 1 || x == n - 1) return true;
    for (int i = 1; i < twos; ++i) {
      x = multiply_mod(x, x, n);
      if (x == n - 1) return true;
    }
    return false;
  });
  if (passes) known.add(n);
  return passes;
}

std::vector<std::uint64_t> primes_congruent_to_one(unsigned bits, std::uint64_t step, std::size_t count,
                                                   const std::vector<std::uint64_t>& excluded) {
  if (bits < 2 || bits > 61 || step == 0) {
    throw ParameterError(message("primes of ", bits, " bits congruent to 1 modulo ", step,
                                 " were asked for; bits must lie in [2, 61] and the step must be positive"));
  }
  std::vector<std::uint64_t> primes;
  const std::uint64_t low = 1ULL << (bits - 1);
  const std::uint64_t top = (1ULL << bits) - 1;
  if (step <= top) {
    for (std::uint64_t p = (top - 1) / step * step + 1; p >= low && p > 1 && primes.size() < count; p -= step) {
      check_interrupt();
      if (is_prime(p) && std::find(excluded.begin(), excluded.end(), p) == excluded.end()) primes.push_back(p);
      if (p < step) break;
    }
  }
  if (primes.size() < count) {
    throw ParameterError(message("only ", primes.size(), " of ", count, " primes of ", bits,
                                 " bits congruent to 1 modulo ", step,
                                 " exist; ask for fewer, for wider primes, or for a smaller degree"));
  }
  return primes;
}

std::vector<std::uint64_t> smallest_primes_congruent_to_one(std::uint64_t step, std::size_t count, std::uint64_t above,
                                                            const std::vector<std::uint64_t>& excluded) {
  constexpr std::uint64_t end = 1ULL << 61;
  std::vector<std::uint64_t> primes;
  for (std::uint64_t p = step == 0 ? end : above / step * step + 1; p < end && primes.size() < count; p += step) {
    check_interrupt();
    if (p > above && is_prime(p) && std::find(excluded.begin(), excluded.end(), p) == excluded.end()) {
      primes.push_back(p);
    }
  }
  if (primes.size() < count) {
    throw ParameterError(message("only ", primes.size(), " of ", count, " primes congruent to 1 modulo ", step,
                                 " lie between ", above, " and 2^61; ask for fewer, or for a smaller ring"));
  }
  return primes;
}

std::uint64_t minimal_primitive_root(std::uint64_t order, std::uint64_t p) {
  if (!is_power_of_two(order) || p < 2 || (p - 1) % order != 0) {
    throw ParameterError(message("modulus ", p, " has no primitive root of unity of order ", order,
                                 ": it must be a prime congruent to 1 modulo that order"));
  }
  return order == 1 ? 1 : kept_root(order, p);
}

}  // namespace cyclotome
