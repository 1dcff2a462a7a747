// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/context.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"

namespace cyclotome::rlwe {

Context::Context(Parameters parameters, EnginePtr engine)
    : parameters_(std::move(parameters)), engine_(std::move(engine)) {
  const Word word = parameters_.word();
  const RingShapePtr& shape = parameters_.ring();
  const std::size_t special = special_limbs();
  const Basis q(word, parameters_.moduli());
  key_ring_ = Ring::create(shape, Basis(word, parameters_.special_moduli()).joined(q));
  for (std::size_t limbs = 1; limbs <= q.size(); ++limbs) level_rings_.push_back(key_ring_->slice(special, limbs));
  for (const auto t : parameters_.plain_moduli()) {
    const RingShapePtr& slots = parameters_.slot_ring();
    plain_rings_.push_back(Ring::create(shape, Basis(word, {t})));
    slot_rings_.push_back(slots == shape ? plain_rings_.back() : Ring::create(slots, Basis(word, {t})));
  }
  if (special == 0) {
    encryption_ring_ = key_ring_;
    return;
  }
  special_ring_ = key_ring_->slice(0, special);
  encryption_ring_ = key_ring_->slice(special - 1, q.size() + 1);
  for (std::size_t i = 0; i < plain_count(); ++i) {
    const ErrorMultiples multiples = error_multiples(PlainIndex(i));
    encryption_roundings_.push_back(
        std::make_unique<DivideAndRound>(ciphertext_ring(), key_ring_->slice(special - 1, 1),
                                         PreservedModulus(multiples.of_results), multiples.factor()));
  }
}

const RingPtr& Context::level_ring(Level level) const {
  if (level.primes == 0 || level > max_level()) {
    throw ArgumentError(
        message("level ", level, " does not exist; ciphertexts have 1 to ", level_rings_.size(), " primes"));
  }
  return level_rings_[level.primes - 1];
}

double Context::log2_modulus(Level level) const {
  static_cast<void>(level_ring(level));  // throws
  return parameters_.log2_modulus(level.primes);
}

const RingPtr& Context::plain_ring(PlainIndex plain) const {
  if (plain.number >= plain_rings_.size()) {
    throw ArgumentError(message("plaintext modulus number ", plain, " of ", plain_rings_.size()));
  }
  return plain_rings_[plain.number];
}

const RingPtr& Context::slot_ring(PlainIndex plain) const {
  static_cast<void>(plain_ring(plain));  // throws
  return slot_rings_[plain.number];
}

const KeySwitch& Context::key_switch(Level level, PlainIndex plain) const {
  const std::uint64_t preserved = preserved_modulus(plain);
  const std::lock_guard lock(mutex_);
  auto& slot = key_switches_[{level.primes, preserved}];
  if (slot == nullptr) {
    slot = std::make_unique<KeySwitch>(level_ring(level), special_ring_, parameters_.primes_per_digit(),
                                       error_multiples(plain), key_switch_noise(parameters_, plain, level),
                                       rlwe::relinearization_noise(parameters_, plain, level));
  }
  return *slot;
}

const LevelSwitch& Context::level_switch(Level level, Level from, Level to) const {
  const RingPtr& q = level_ring(level);
  const std::lock_guard lock(mutex_);
  auto& slot = level_switches_[{level.primes, from.primes, to.primes}];
  if (slot == nullptr) slot = std::make_unique<const LevelSwitch>(q, from.primes, to.primes);
  return *slot;
}

const DivideAndRound* Context::encryption_rounding(PlainIndex plain) const {
  return encryption_roundings_.empty() ? nullptr : encryption_roundings_.at(plain.number).get();
}

void require_same_context(const char* operation, const Context& a, const Context& b) {
  if (&a == &b) return;
  if (a.parameters().fingerprint() != b.parameters().fingerprint()) {
    throw MismatchError(message(operation, ": the operands belong to different parameters (", a.parameters().summary(),
                                " and ", b.parameters().summary(), "); encrypt both under the same ones"));
  }
  if (a.engine() != b.engine()) {
    const std::string first = a.engine()->name(), second = b.engine()->name();
    throw MismatchError(message(operation, ": the operands are on different devices (", first, " and ", second,
                                first == second ? " opened anew, as with another number of threads" : "",
                                "); move one with .to(device)"));
  }
}

void require_same_key(const char* operation, const KeyId& a, const KeyId& b) {
  if (a == b) return;
  const auto hex = [](const KeyId& id) { return hexadecimal(id).substr(0, 8); };
  throw MismatchError(message(operation, ": the operands belong to different keys (", hex(a), "... and ", hex(b),
                              "...); use the keys that were generated together"));
}

}  // namespace cyclotome::rlwe
