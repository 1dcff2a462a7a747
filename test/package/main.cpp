// SPDX-License-Identifier: Apache-2.0
// A program of somebody else: it knows the installed headers and library, and nothing of the source tree. It multiplies
// by X in Z_q[X]/(X^n + 1) the slow way and through the library's root of unity, which links and runs the library.

#include <cstdint>
#include <iostream>
#include <vector>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/math/primes.hpp"

int main() {
  constexpr std::uint64_t degree = 1024;
  const std::vector<std::uint64_t> primes = cyclotome::primes_congruent_to_one(50, 2 * degree, 3);
  for (const std::uint64_t prime : primes) {
    const cyclotome::Modulus<std::uint64_t> modulus(prime);
    const std::uint64_t root = cyclotome::minimal_primitive_root(2 * degree, prime);
    if (prime % (2 * degree) != 1 || modulus.power(root, degree) != prime - 1) {
      std::cerr << root << " is no primitive root of order " << 2 * degree << " modulo " << prime << '\n';
      return 1;
    }
  }
  std::cout << "consumer: found, linked and ran cyclotome with " << primes.size() << " primes\n";
  return primes.size() == 3 ? 0 : 1;
}
