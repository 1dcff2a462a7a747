// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::circuit {

/// A relinearisation key spread over several engines: each holds some of its digits, as many as any other but for one.
/// An engine that relinearises takes the others' from them, and lets them go afterwards, as paper 002 does with
/// keys that no engine has room for. The first engine, on which the key was given, has all of it.
class KeyShares {
 public:
  /// contexts: of the same parameters (MismatchError), the first one that of the keys. Throws MissingKeyError without a
  /// relinearisation key.
  KeyShares(std::shared_ptr<const rlwe::EvaluationKeys> keys, std::vector<rlwe::ContextPtr> contexts);

  const rlwe::ContextPtr& context(std::size_t device) const { return contexts_[device]; }
  const rlwe::KeyId& id() const { return keys_->id(); }
  /// The whole key on an engine. Thread-safe.
  std::shared_ptr<const rlwe::EvaluationKeys> assembled(std::size_t device) const;
  /// How many digits stay on a device beside the first, of so many.
  static std::size_t digits_of(std::size_t device, std::size_t digits, std::size_t devices);

 private:
  bool has_all(std::size_t device) const { return contexts_[device]->engine() == contexts_[0]->engine(); }

  std::shared_ptr<const rlwe::EvaluationKeys> keys_;
  std::vector<rlwe::ContextPtr> contexts_;
  std::vector<std::vector<PolyArray>> digits_;  // by device: of those numbers that are device modulo all devices
};

/// The relinearisation key alone, on another engine.
std::shared_ptr<const rlwe::EvaluationKeys> relinearization_on(const rlwe::ContextPtr& context,
                                                               const rlwe::EvaluationKeys& keys);

}  // namespace cyclotome::circuit
