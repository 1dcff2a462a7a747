// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/operations.hpp"

// Every scheme's operations under one name, chosen by the parameters' scheme: what programs over ciphertexts and the
// Python package call. What each does, and what it throws, stands with bfv:: and bgv::; linear operations and rotations
// are rlwe::.
namespace cyclotome::scheme {

using rlwe::Ciphertext;
using rlwe::Plaintext;

/// Parameters on an engine, as the context of their scheme.
rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine);

/// Randomness comes from the operating system, here and below.
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key);
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key);
Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key);
/// Decrypts with noise flooding, for somebody else than the key's owner to see.
Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits);
Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

double noise_headroom(const Ciphertext& ciphertext);
std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key);
std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

Ciphertext add(const Ciphertext& a, const Ciphertext& b);
Ciphertext subtract(const Ciphertext& a, const Ciphertext& b);
Ciphertext add_plain(const Ciphertext& a, const Plaintext& b);
Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b);
/// 3 parts, not relinearised.
Ciphertext multiply(const Ciphertext& a, const Ciphertext& b);
Ciphertext square(const Ciphertext& a);
/// Both relinearised at once: 2 parts.
Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys);
Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys);
/// One batch after the other.
Ciphertext concatenate(std::span<const Ciphertext* const> arrays);
/// a plus fresh encryptions of zero.
Ciphertext rerandomize(const Ciphertext& a, const rlwe::PublicKey& key);
/// Fewer ciphertext primes, BGV only (ArgumentError): smaller ciphertexts and faster operations.
Ciphertext switch_to_level(const Ciphertext& a, std::size_t limbs);

}  // namespace cyclotome::scheme
