// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::value {

/// All keys of both; residues are shared, not copied. Where both have a key, that of `a` stays. Throws MismatchError
/// for keys of different secrets or contexts.
rlwe::EvaluationKeys joined(const rlwe::EvaluationKeys& a, const rlwe::EvaluationKeys& b);

/// The public keys that travel with an array in memory, for whoever computes. A secret key never does.
struct Keyring {
  /// What encrypts anew; null for none.
  std::shared_ptr<const rlwe::PublicKey> encryption;
  /// What multiplies and rotates; null for none.
  std::shared_ptr<const rlwe::EvaluationKeys> evaluation;

  Keyring() = default;
  /// Copies share the keys' residues.
  Keyring(const rlwe::PublicKey& key)  // NOLINT(google-explicit-constructor): a key is a ring of one
      : encryption(std::make_shared<const rlwe::PublicKey>(key)) {}
  Keyring(const rlwe::EvaluationKeys& keys)  // NOLINT(google-explicit-constructor)
      : evaluation(std::make_shared<const rlwe::EvaluationKeys>(keys)) {}

  /// What both know together. Throws MismatchError as above.
  Keyring joined(const Keyring& other) const;
  /// Throws MismatchError for keys of another secret or context than a ciphertext's.
  void require(const rlwe::Context& context, const rlwe::KeyId& key) const;
  /// The evaluation keys. Throws MissingKeyError if there are none; the message says where they come from.
  const rlwe::EvaluationKeys& require_evaluation(const char* operation) const;
};

}  // namespace cyclotome::value
