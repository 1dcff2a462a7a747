// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/keys/deterministic.hpp"

// Of every scheme, as rlwe/keys/deterministic.hpp: for tests. Not installed; seeds are spent.
namespace cyclotome {

namespace scheme::deterministic {
rlwe::Ciphertext encrypt(const rlwe::Plaintext& plaintext, const rlwe::PublicKey& key, Seed&& seed);
rlwe::Ciphertext encrypt(const rlwe::Plaintext& plaintext, const rlwe::SecretKey& key, Seed&& seed);
rlwe::Plaintext reveal(const rlwe::Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                       Seed&& seed);
rlwe::Ciphertext rerandomize(const rlwe::Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed);
}  // namespace scheme::deterministic

}  // namespace cyclotome
