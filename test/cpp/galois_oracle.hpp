// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/math/primes.hpp"

// What tests of the discrete Galois transform compare with, and the primes that only it can use.
namespace cyclotome::check {

/// a b modulo x^n + 1 and p.
inline std::vector<std::uint64_t> schoolbook(const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                                             std::uint64_t p) {
  const Modulus<std::uint64_t> q(p);
  std::vector<std::uint64_t> c(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t product = q.multiply(a[i], b[j]), at = (i + j) % n;
      c[at] = i + j < n ? q.add(c[at], product) : q.subtract(c[at], product);
    }
  }
  return c;
}

/// Primes below 2^bits that are 3 mod 4 with `degree` dividing p + 1.
inline std::vector<std::uint64_t> gaussian_primes(unsigned bits, std::uint64_t degree, std::size_t count) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t p = (std::uint64_t{1} << bits) - 1; primes.size() < count; p -= degree) {
    if (p % 4 == 3 && is_prime(p)) primes.push_back(p);
  }
  return primes;
}

}  // namespace cyclotome::check
