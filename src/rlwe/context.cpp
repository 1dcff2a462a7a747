// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/context.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

Context::Context(Parameters parameters, EnginePtr engine)
    : parameters_(std::move(parameters)), engine_(std::move(engine)) {
  const Word word = parameters_.word();
  const std::size_t n = parameters_.degree(), special = special_limbs();
  const Basis q(word, parameters_.moduli());
  if (special == 0) {
    ciphertext_ring_ = key_ring_ = encryption_ring_ = Ring::negacyclic(n, q);
    key_switch_ = std::make_unique<KeySwitch>(ciphertext_ring_, nullptr, parameters_.primes_per_digit());
  } else {
    key_ring_ = Ring::negacyclic(n, Basis(word, parameters_.special_moduli()).joined(q));
    ciphertext_ring_ = key_ring_->slice(special, q.size());
    encryption_ring_ = key_ring_->slice(special - 1, q.size() + 1);
    key_switch_ =
        std::make_unique<KeySwitch>(ciphertext_ring_, key_ring_->slice(0, special), parameters_.primes_per_digit());
    encryption_rounding_ = std::make_unique<DivideAndRound>(ciphertext_ring_, key_ring_->slice(special - 1, 1));
  }
  for (const auto t : parameters_.plain_moduli()) plain_rings_.push_back(Ring::negacyclic(n, Basis(word, {t})));
}

const RingPtr& Context::plain_ring(std::size_t plain) const {
  if (plain >= plain_rings_.size()) {
    throw ArgumentError(message("plaintext modulus number ", plain, " of ", plain_rings_.size()));
  }
  return plain_rings_[plain];
}

void require_same_context(const char* operation, const Context& a, const Context& b) {
  if (&a == &b) return;
  if (a.parameters().fingerprint() != b.parameters().fingerprint()) {
    throw MismatchError(message(operation, ": the operands belong to different parameters (", a.parameters().summary(),
                                " and ", b.parameters().summary(), "); encrypt both under the same ones"));
  }
  if (a.engine() != b.engine()) {
    throw MismatchError(message(operation, ": the operands are on different devices (", a.engine()->name(), " and ",
                                b.engine()->name(), "); move one with .to(device)"));
  }
}

void require_same_key(const char* operation, const KeyId& a, const KeyId& b) {
  if (a == b) return;
  const auto hex = [](const KeyId& id) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < 4; ++i) text += {digits[id[i] >> 4], digits[id[i] & 15]};
    return text;
  };
  throw MismatchError(message(operation, ": the operands belong to different keys (", hex(a), "... and ", hex(b),
                              "...); use the keys that were generated together"));
}

}  // namespace cyclotome::rlwe
