// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys for a circuit on some engine, the same on all of them, and bits under them.

#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/circuit/parameters.hpp"
#include "cyclotome/circuit/plan.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "engines.hpp"
#include "seed.hpp"

namespace cyclotome::check {

using Bits = std::vector<std::int64_t>;

/// BGV modulo 2 in x^n + 1, where a ciphertext holds one bit.
inline rlwe::Parameters parameters_of(const circuit::Circuit& circuit, std::size_t degree, unsigned security) {
  rlwe::ParametersLiteral base;
  base.scheme = &bgv::scheme();
  base.degree = degree;
  base.word = Word::u32;
  base.plain_moduli = {2};
  base.security = security;
  base.allow_insecure = security == 0;
  const circuit::Circuit* const only = &circuit;
  return circuit::parameters_for({&only, 1}, base).value();
}

struct CircuitParty {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey key;
  std::shared_ptr<const rlwe::EvaluationKeys> keys;

  CircuitParty(const rlwe::Parameters& parameters, const EnginePtr& engine)
      : context(scheme::make_context(parameters, engine)),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        keys(std::make_shared<rlwe::EvaluationKeys>(
            rlwe::deterministic::generate_evaluation_keys(secret, true, {}, seed(3)))) {}

  rlwe::Ciphertext encrypt(const Bits& bits, std::uint8_t number) const {
    const rlwe::Plaintext plain =
        encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::coefficients, bits, bits.size(), 1);
    return scheme::deterministic::encrypt(plain, key, seed(number));
  }
  Bits decrypt(const rlwe::Ciphertext& c) const {
    const auto values = decode_residues(scheme::decrypt(c, secret), Encoding::Kind::coefficients);
    Bits bits;
    for (std::size_t i = 0; i < values.size(); i += context->degree()) bits.push_back(values[i] & 1);
    return bits;
  }
};

/// `copies` of each bit, the most significant first.
inline Bits state_bits(std::uint64_t word, std::size_t copies = 1) {
  Bits bits;
  for (int i = 63; i >= 0; --i) bits.insert(bits.end(), copies, static_cast<std::int64_t>(word >> i & 1));
  return bits;
}

}  // namespace cyclotome::check
