// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys and ciphertexts in a small ring that hides nothing: what the tests of circuits over ciphertexts share.

#include "circuit_values.hpp"
#include "cyclotome/circuit/plan.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "seed.hpp"

namespace cyclotome::check {

/// Small and fast: what is looked at is arithmetic.
inline rlwe::ParametersLiteral small_literal(const rlwe::Scheme& scheme, std::uint64_t t, std::size_t primes,
                                             unsigned bits) {
  rlwe::ParametersLiteral p;
  p.scheme = &scheme;
  p.degree = 1024;
  p.word = bits > 30 ? Word::u64 : Word::u32;
  p.plain_moduli = {t};
  p.moduli = primes_congruent_to_one(bits, 2 * p.degree, primes + 1);
  p.special_moduli = {p.moduli.front()};
  p.moduli.erase(p.moduli.begin());
  p.security = 0;
  p.allow_insecure = true;
  return p;
}

struct SmallParty {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey public_key;
  std::shared_ptr<const rlwe::EvaluationKeys> keys;

  explicit SmallParty(const rlwe::ParametersLiteral& p) : SmallParty(rlwe::Parameters(p)) {}
  explicit SmallParty(const rlwe::Parameters& p)
      : context(scheme::make_context(p, CpuEngine::create(2))),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        public_key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        keys(std::make_shared<rlwe::EvaluationKeys>(
            rlwe::deterministic::generate_evaluation_keys(secret, true, {}, seed(3)))) {}

  Encoding::Kind kind() const {
    return context->parameters().has_slots() ? Encoding::Kind::slots : Encoding::Kind::coefficients;
  }
  /// Each value in a ciphertext of its own; `lanes` of them if there are slots.
  rlwe::Ciphertext encrypt(const Residues& values, std::size_t lanes = 1) const {
    const std::vector<std::int64_t> rows(values.begin(), values.end());
    const std::size_t items = values.size() / lanes;
    return scheme::encrypt(encode_residues(context, rlwe::PlainIndex(0), kind(), rows, items, lanes), public_key);
  }
  /// width: values that a ciphertext holds; 0: as many as the degree.
  Residues decrypt(const rlwe::Ciphertext& c, std::size_t lanes = 1, std::size_t width = 0) const {
    const auto values = decode_residues(scheme::decrypt(c, secret), kind());
    const auto t = static_cast<std::int64_t>(c.plain_modulus().value);
    Residues result;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % (width == 0 ? context->degree() : width) < lanes)
        result.push_back(static_cast<std::uint64_t>((values[i] + t) % t));
    }
    return result;
  }
};

}  // namespace cyclotome::check
