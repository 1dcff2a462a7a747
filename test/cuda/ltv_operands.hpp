// SPDX-License-Identifier: Apache-2.0
#pragma once

// Polynomials and keys for the programs that compute paper 002's arithmetic on a GPU.

#include <random>

#include "cyclotome/study/ltv/operations.hpp"

namespace cyclotome::check {

/// Residues modulo the first primes: random ones, or all p - 1.
inline study::ltv::Polynomial residues(const study::ltv::Arithmetic& arithmetic, std::size_t primes, bool largest,
                                       std::mt19937_64& random) {
  study::ltv::Polynomial a{study::ltv::Domain::crt, primes, arithmetic.degree()};
  for (std::size_t j = 0; j < primes; ++j) {
    const std::uint32_t p = arithmetic.basis().prime(j);
    for (std::size_t i = 0; i < a.length; ++i) {
      a.words.push_back(largest ? p - 1 : static_cast<std::uint32_t>(random() % p));
    }
  }
  return a;
}

/// A key of the right size that was made of no secret: random residues.
inline study::ltv::SwitchingKey any_key(const study::ltv::ParametersPtr& parameters, std::mt19937_64& random) {
  std::vector<study::ltv::Polynomial> digits;
  for (unsigned i = 0; i < parameters->digits(parameters->levels()); ++i) {
    digits.push_back(residues(*parameters->arithmetic(), parameters->levels(), false, random));
  }
  return study::ltv::SwitchingKey::restore(parameters, {}, 0, digits);
}

/// Ciphertexts that hide nothing: random residues, said to be as noisy as fresh ones.
inline std::vector<study::ltv::Ciphertext> any_ciphertexts(const study::ltv::SwitchingKey& key, std::size_t count,
                                                           std::mt19937_64& random) {
  const study::ltv::ParametersPtr& parameters = key.parameters();
  std::vector<study::ltv::Ciphertext> ciphertexts;
  for (std::size_t i = 0; i < count; ++i) {
    ciphertexts.push_back({parameters, key.id(),
                           residues(*parameters->arithmetic(), parameters->levels(), i % 64 == 1, random), 1,
                           parameters->noise().fresh()});
  }
  return ciphertexts;
}

}  // namespace cyclotome::check
