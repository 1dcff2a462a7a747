// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/scheme/scheme.hpp"

// All randomness that encrypted arrays take, fresh from the system: nothing else in this room draws any.
namespace cyclotome::value {

/// key: public or secret.
template <class Key>
rlwe::Ciphertext encrypted_freshly(const rlwe::Plaintext& plaintext, const Key& key) {
  return scheme::encrypt(plaintext, key, Seed::from_system());
}

inline rlwe::Ciphertext rerandomized(const rlwe::Ciphertext& a, const rlwe::PublicKey& key) {
  return scheme::rerandomize(a, key, Seed::from_system());
}

inline rlwe::Plaintext revealed(const rlwe::Ciphertext& a, const rlwe::SecretKey& key, unsigned flooding_bits) {
  return scheme::reveal(a, key, flooding_bits, Seed::from_system());
}

}  // namespace cyclotome::value
