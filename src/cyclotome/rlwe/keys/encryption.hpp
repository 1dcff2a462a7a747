// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::rlwe {

/// `batch` encryptions of zero under the public key: (pk0 u + e0, pk1 u + e1) over Q and one special prime, divided by
/// that prime with rounding (specification 5.3; paper 001, Algorithm 4 with errata 001-4 and 001-5). Coefficient
/// domain. Randomness comes from the operating system.
Ciphertext encrypt_zero(const PublicKey& key, PlainIndex plain, std::size_t batch);

/// `batch` encryptions of zero under the secret key, (-(a s) - e, a) directly over Q, with `a` expanded from a public
/// seed.
Ciphertext encrypt_zero(const SecretKey& key, PlainIndex plain, std::size_t batch);

/// The phase [sum c_j s^j]_Q of every item: 1 part over Q, coefficient domain, in memory that is zeroised. Constant
/// time.
PolyArray phase(const SecretKey& key, const Ciphertext& ciphertext);
/// s for a ciphertext. Throws MismatchError for a key of other parameters, and another key.
ConstView decryption_key(const SecretKey& key, const Ciphertext& ciphertext);

/// The part c1 = a of symmetric encryptions, from its seed.
void expand_symmetric_uniform(Engine& engine, View part, const PublicSeed& uniform_seed);

}  // namespace cyclotome::rlwe
