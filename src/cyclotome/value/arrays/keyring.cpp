// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/keyring.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

rlwe::EvaluationKeys joined(const rlwe::EvaluationKeys& a, const rlwe::EvaluationKeys& b) {
  rlwe::require_same_context("joined", *a.context(), *b.context());
  rlwe::require_same_key("joined", a.id(), b.id());
  std::optional<rlwe::SwitchingKey> relinearization;
  if (a.has_relinearization()) {
    relinearization = a.relinearization();
  } else if (b.has_relinearization()) {
    relinearization = b.relinearization();
  }
  std::map<std::uint64_t, rlwe::SwitchingKey> galois = a.all_galois();
  galois.insert(b.all_galois().begin(), b.all_galois().end());
  return rlwe::EvaluationKeys(a.context(), std::move(relinearization), std::move(galois), a.id(),
                              a.encapsulation() ? a.encapsulation() : b.encapsulation());
}

Keyring Keyring::joined(const Keyring& other) const {
  Keyring ring = *this;
  if (!ring.encryption) ring.encryption = other.encryption;
  if (!ring.evaluation) {
    ring.evaluation = other.evaluation;
  } else if (other.evaluation && other.evaluation.get() != ring.evaluation.get()) {
    ring.evaluation = std::make_shared<const rlwe::EvaluationKeys>(value::joined(*ring.evaluation, *other.evaluation));
  }
  return ring;
}

void Keyring::require(const rlwe::Context& context, const rlwe::KeyId& key) const {
  if (encryption) {
    rlwe::require_same_context("with_keys", context, *encryption->context());
    rlwe::require_same_key("with_keys", key, encryption->id());
  }
  if (evaluation) {
    rlwe::require_same_context("with_keys", context, *evaluation->context());
    rlwe::require_same_key("with_keys", key, evaluation->id());
  }
}

const rlwe::EvaluationKeys& Keyring::require_evaluation(const char* operation) const {
  if (evaluation) return *evaluation;
  throw MissingKeyError(message(operation,
                                " takes evaluation keys, and none are attached to the operands; attach them "
                                "with x = x.with_keys(evaluation)"));
}

}  // namespace cyclotome::value
