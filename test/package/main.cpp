// SPDX-License-Identifier: Apache-2.0
// A program of somebody else: it knows the installed headers and library, and nothing of the source tree. It encrypts
// two small vectors, multiplies them under encryption and decrypts the products, and is refused a product that would
// not fit.

#include <cstdint>
#include <iostream>
#include <vector>

#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/keys.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/value/value.hpp"

namespace rlwe = cyclotome::rlwe;
namespace scheme = cyclotome::scheme;
namespace value = cyclotome::value;

int main() try {
  rlwe::ParametersLiteral literal;
  literal.scheme = &cyclotome::bfv::scheme();
  literal.degree = 8192;
  literal.plain_moduli = {65537};
  literal.moduli = cyclotome::primes_congruent_to_one(50, 2 * literal.degree, 4);
  literal.special_moduli = {literal.moduli.front()};
  literal.moduli.erase(literal.moduli.begin());
  const auto context = scheme::make_context(rlwe::Parameters(literal), cyclotome::make_cpu_engine());

  const auto secret = rlwe::SecretKey::generate(context);
  const auto key = rlwe::PublicKey::generate(secret);
  const auto evaluation = rlwe::EvaluationKeys::generate(secret, true, {});

  const std::vector<std::int64_t> x = {1, -2, 3, 127}, y = {5, 6, -7, 255};
  const auto encrypted_x = value::encrypt(x, key, {.bound = 127}).with_keys(evaluation);
  const auto encrypted_y = value::encrypt(y, key, {.bound = 255});
  const std::vector<std::int64_t> products = value::decrypt(encrypted_x * encrypted_y, secret).to_int64();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (products.at(i) != x[i] * y[i]) {
      std::cerr << x[i] << " * " << y[i] << " came back as " << products[i] << '\n';
      return 1;
    }
  }
  try {
    value::decrypt(1000 * encrypted_x, secret);  // up to 127000, and the plaintext modulus is 65537
    std::cerr << "a product that could wrap around was not refused\n";
    return 1;
  } catch (const cyclotome::RangeError&) {
    std::cout << "consumer: multiplied under " << context->parameters().summary() << '\n';
    return 0;
  }
} catch (const cyclotome::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
