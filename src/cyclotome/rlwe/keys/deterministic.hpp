// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/rlwe/keys/seed_derivation.hpp"

// What draws, from a seed that the caller gives: equal seeds give equal bytes on every engine. For tests, and for the
// functions of the same purpose without a seed, which draw one from the operating system and are what programs call.
// This header is not installed. The seed is spent afterwards, whatever comes of the call.
namespace cyclotome::rlwe::deterministic {

SecretKey generate_secret_key(const ContextPtr& context, Seed&& seed);
PublicKey generate_public_key(const SecretKey& secret, Seed&& seed);
KeyPair generate_key_pair(const ContextPtr& context, Seed&& secret_seed, Seed&& public_seed);
SwitchingKey generate_switching_key(const SecretKey& secret, ConstView target, Seed&& seed);
RekeyingKey generate_rekeying_key(const SecretKey& from, const SecretKey& to, Seed&& seed);
EvaluationKeys generate_evaluation_keys(const SecretKey& secret, bool relinearization,
                                        const std::vector<std::uint64_t>& galois_elements, Seed&& seed);

/// rlwe/encapsulation/encapsulation_keys.hpp has the class.
EncapsulationKeys generate_encapsulation_keys(const SecretKey& secret, Seed&& seed);

/// purpose: public_zero, or rerandomization for what is added to another ciphertext.
Ciphertext encrypt_zero(const PublicKey& key, PlainIndex plain, std::size_t batch, Seed&& seed,
                        Purpose purpose = Purpose::public_zero);
Ciphertext encrypt_zero(const SecretKey& key, PlainIndex plain, std::size_t batch, Seed&& seed);
Ciphertext rerandomize(const Ciphertext& a, const PublicKey& key, Seed&& seed);

/// Encryptions of zero with one message added to each: the polynomials of `plaintext`, taken to Q by the scheme's
/// `scale`, which adds `noise`. What schemes encrypt with.
Ciphertext encrypt_message(const PublicKey& key, const Plaintext& plaintext, const BaseConversion& scale,
                           const NoiseBound& noise, Seed&& seed);
Ciphertext encrypt_message(const SecretKey& key, const Plaintext& plaintext, const BaseConversion& scale,
                           const NoiseBound& noise, Seed&& seed);

}  // namespace cyclotome::rlwe::deterministic

namespace cyclotome::rlwe {

/// A context's members that take seeds.
struct Seeded {
  template <class Key>
  static Ciphertext encrypt(const Context& context, const Plaintext& plaintext, const Key& key, Seed&& seed) {
    return context.encrypt_from(plaintext, key, std::move(seed));
  }
  static Plaintext reveal(const Context& context, const Ciphertext& ciphertext, const SecretKey& key,
                          unsigned flooding_bits, Seed&& seed) {
    return context.reveal_from(ciphertext, key, flooding_bits, std::move(seed));
  }
  static Ciphertext rerandomize(const Context& context, const Ciphertext& a, const PublicKey& key, Seed&& seed) {
    return context.rerandomize_from(a, key, std::move(seed));
  }
};

}  // namespace cyclotome::rlwe
