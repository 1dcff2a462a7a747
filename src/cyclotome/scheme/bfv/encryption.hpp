// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/big_unsigned.hpp"
#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys.hpp"

namespace cyclotome::bfv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

/// Encrypts every plaintext polynomial of the batch: an encryption of zero plus round(q m / t) (specification 5.3;
/// paper 001, Algorithm 4 with errata 001-4 ... 001-7). Randomness comes from the operating system.
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key);
/// The same under the secret key: less noise, and files hold a seed in place of c1.
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key);

/// Decrypts (specification 5.4, BEHZ; errata 001-8 ... 001-10, 000-9, 000-11). Constant time in the secret and the
/// message. Throws NoiseError if the ciphertext's noise bound exceeds what decryption corrects, and ContradictionError
/// if the noise that shows while rounding exceeds the bound.
Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

/// Decrypts whatever the bound says. For tests and for measuring noise; the result may be garbage.
Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

/// Decrypts for somebody else than the key's owner to see: the same message, from a phase with a uniform error added
/// that makes it independent of the noise up to 2^-flooding_bits for each ciphertext (rlwe/flooding.hpp). Throws
/// ArgumentError unless flooding_bits lies in [1, 160]; NoiseError if the bound leaves less than
/// rlwe::flooding_headroom bits, which depends on public numbers only and may be told; ContradictionError, which must
/// not be told, for noise beyond the bound.
Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits);

/// Bits of headroom by the public bound: how often the noise may double before decryption refuses. Negative: it refuses
/// already.
double noise_headroom(const Ciphertext& ciphertext);

/// The exact noise budget of every item, as SEAL defines it: -log2(2 |w|) for the invariant noise w = [t phase]_q / q,
/// in whole bits, at least 0. Needs the secret key and is not constant-time: its result is for the key's owner alone.
std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

/// log2 of the largest coefficient of the exact absolute noise of every item (the phase's distance from q m / t).
std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

}  // namespace cyclotome::bfv
