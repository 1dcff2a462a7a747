// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small and fast BFV keys, and numbers to compute on: what the C++ tests of the scheme share.

#include <cstdint>
#include <memory>
#include <vector>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "seed.hpp"

namespace cyclotome::check {

using Values = std::vector<std::int64_t>;

constexpr std::uint64_t plain_modulus = 65537;
constexpr std::size_t items = 3;

inline rlwe::ParametersLiteral literal(Word word, std::size_t special_primes) {
  rlwe::ParametersLiteral p;
  p.scheme = &bfv::scheme();
  p.degree = 1024;
  p.word = word;
  p.plain_moduli = {plain_modulus};
  const unsigned bits = word == Word::u32 ? 29 : 50;
  const std::size_t primes = word == Word::u32 ? 5 : 3;
  p.moduli = primes_congruent_to_one(bits, 2 * p.degree, primes + special_primes);
  p.special_moduli.assign(p.moduli.begin(), p.moduli.begin() + static_cast<std::ptrdiff_t>(special_primes));
  p.moduli.erase(p.moduli.begin(), p.moduli.begin() + static_cast<std::ptrdiff_t>(special_primes));
  p.security = 0;  // small and fast: these tests are about arithmetic
  p.allow_insecure = true;
  return p;
}

// Integers in (-t/2, t/2) that follow no pattern of the transform.
inline Values numbers(std::size_t count, std::uint64_t start) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::int64_t>((start + 40503 * i + i * i) % (plain_modulus - 2)) - (1 << 15) + 1;
  }
  return values;
}

inline std::int64_t centred(std::int64_t value) {
  const auto t = static_cast<std::int64_t>(plain_modulus);
  const std::int64_t residue = (value % t + t) % t;
  return residue > t / 2 ? residue - t : residue;
}

struct Fixture {
  bfv::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey public_key;
  rlwe::EvaluationKeys evaluation;

  explicit Fixture(const rlwe::ParametersLiteral& p)
      : context(bfv::make_context(rlwe::Parameters(p), CpuEngine::create(2))),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        public_key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(
            secret, true, rlwe::slot_sum_elements(RingShape::negacyclic(p.degree)->galois()), seed(3))) {}

  std::size_t count() const { return items * context->degree(); }
  bfv::Plaintext plain(const Values& values) const {
    return encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, items, context->degree());
  }
  bfv::Ciphertext encrypt(const Values& values) const {
    return scheme::deterministic::encrypt(plain(values), public_key, seed(4));
  }
  Values decrypt(const bfv::Ciphertext& ciphertext) const {
    return decode_residues(scheme::decrypt(ciphertext, secret), Encoding::Kind::slots);
  }
};

}  // namespace cyclotome::check
