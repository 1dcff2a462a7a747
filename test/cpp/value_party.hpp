// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small and fast keys of two plaintext moduli (T = 40961 * 65537, about 2^31), and encrypted arrays beside models.

#include <numeric>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/value/value.hpp"
#include "seed.hpp"
#include "value_model.hpp"

namespace cyclotome::check {

struct ValueParty {
  static constexpr std::size_t degree = 16;

  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey key;
  rlwe::EvaluationKeys evaluation;

  static rlwe::Parameters parameters(const rlwe::Scheme* scheme, std::vector<std::uint64_t> plain, std::size_t primes) {
    rlwe::ParametersLiteral p;
    p.scheme = scheme;
    p.degree = degree;
    p.plain_moduli = std::move(plain);
    p.moduli = primes_congruent_to_one(50, 2 * degree, primes);
    p.special_moduli = primes_congruent_to_one(51, 2 * degree, 1);
    p.security = 0;
    p.allow_insecure = true;
    return rlwe::Parameters(p);
  }
  explicit ValueParty(const rlwe::Scheme* scheme = &bfv::scheme(),
                      const std::vector<std::uint64_t>& plain = {40961, 65537}, std::size_t primes = 4)
      : context(scheme::make_context(parameters(scheme, plain, primes), CpuEngine::create(1))),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(
            secret, true, rlwe::slot_sum_elements(RingShape::negacyclic(degree)->galois()), seed(3))) {}

  value::EncryptedArray encrypted(const value::Integers& values, const value::Encryption& how) const {
    return value::encrypt(values, key, how).with_keys(evaluation);
  }
  Wide modulus() const {
    Wide product = 1;
    for (const std::uint64_t t : context->parameters().plain_moduli()) product *= static_cast<Wide>(t);
    return product;
  }
};

inline value::Integers integers_of(const Model& model) {
  std::vector<std::int64_t> values;
  for (const Wide value : model.values) values.push_back(static_cast<std::int64_t>(value));
  return {model.shape, values};
}

inline std::vector<std::int64_t> words_of(const Model& model) {
  const value::Integers integers = integers_of(model);
  return integers.to_int64();
}

}  // namespace cyclotome::check
