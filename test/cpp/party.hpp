// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys of either scheme from a seed, and arrays under them: equal on every engine.

#include "bfv_fixture.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::check {

struct Party {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey key;
  rlwe::EvaluationKeys evaluation;

  Party(const rlwe::ContextPtr& on, std::uint8_t first)
      : context(on),
        secret(rlwe::deterministic::generate_secret_key(on, seed(first))),
        key(rlwe::deterministic::generate_public_key(secret, seed(first + 1))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(secret, true, {3, 9}, seed(first + 2))) {}

  rlwe::Plaintext plain(std::size_t which, std::size_t batch, std::uint64_t start) const {
    const std::size_t n = context->degree();
    return encode_residues(context, rlwe::PlainIndex(which), Encoding::Kind::slots, numbers(batch * n, start), batch,
                           n);
  }
  rlwe::Ciphertext encrypted(std::size_t which, std::size_t batch, std::uint8_t start) const {
    return scheme::deterministic::encrypt(plain(which, batch, start), key, seed(start));
  }
};

}  // namespace cyclotome::check
