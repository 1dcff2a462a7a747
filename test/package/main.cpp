// SPDX-License-Identifier: Apache-2.0
// A program of somebody else: it knows the installed headers and library, and nothing of the source tree. It encrypts
// two small vectors, multiplies them under encryption and decrypts the products.

#include <cstdint>
#include <iostream>
#include <vector>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/keys.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/encryption.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace bfv = cyclotome::bfv;
namespace rlwe = cyclotome::rlwe;
using cyclotome::Encoding;

int main() try {
  rlwe::ParametersLiteral literal;
  literal.degree = 8192;
  literal.plain_moduli = {65537};
  literal.moduli = cyclotome::primes_congruent_to_one(50, 2 * literal.degree, 4);
  literal.special_moduli = {literal.moduli.front()};
  literal.moduli.erase(literal.moduli.begin());
  const auto context = bfv::Context::create(rlwe::Parameters(literal), cyclotome::CpuEngine::create());

  const auto secret = rlwe::SecretKey::generate(context);
  const auto key = rlwe::PublicKey::generate(secret);
  const auto evaluation = rlwe::EvaluationKeys::generate(secret, true, {});

  const std::vector<std::int64_t> x = {1, -2, 3, 128}, y = {5, 6, -7, 255};
  const auto encrypt = [&](const std::vector<std::int64_t>& values) {
    return bfv::encrypt(encode(context, 0, Encoding::Kind::slots, values, 1, values.size()), key);
  };
  const auto product = rlwe::relinearize(bfv::multiply(encrypt(x), encrypt(y)), evaluation);
  const auto result = decode(bfv::decrypt(product, secret), Encoding::Kind::slots);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (result.at(i) != x[i] * y[i]) {
      std::cerr << x[i] << " * " << y[i] << " came back as " << result[i] << '\n';
      return 1;
    }
  }
  std::cout << "consumer: multiplied under " << context->parameters().summary() << '\n';
  return 0;
} catch (const cyclotome::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
