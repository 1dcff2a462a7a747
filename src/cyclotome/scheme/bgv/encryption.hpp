// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys.hpp"

namespace cyclotome::bgv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

/// Encrypts every plaintext polynomial of the batch at the top level: an encryption of zero, whose phase is a multiple
/// of t, plus m (specification 5.3, 5.8). Randomness comes from the operating system.
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key);
/// The same under the secret key: less noise, and files hold a seed in place of c1.
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key);

/// Decrypts: [phase]_q centred, modulo t, times the inverse of the correction factor (specification 5.4, 5.8; errata
/// 002-4, 004-2). Constant time in the secret and the message. Throws NoiseError if the bound exceeds what decryption
/// corrects.
Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key);
/// Decrypts whatever the bound says; the result may be garbage.
Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

/// Decrypts for somebody else than the key's owner to see, as bfv::reveal; the added error is a multiple of t.
Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits);

/// Bits of headroom by the public bound at the ciphertext's level. Negative: decryption refuses.
double noise_headroom(const Ciphertext& ciphertext);
/// The exact budget of every item, as SEAL defines it for BGV: bits of q minus bits of the largest coefficient of the
/// phase, minus 1.
std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key);
/// log2 of the largest coefficient of the phase of every item.
std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

}  // namespace cyclotome::bgv
