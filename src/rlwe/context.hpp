// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "cyclotome/ring/engine.hpp"
#include "cyclotome/rlwe/key_switch.hpp"
#include "cyclotome/rlwe/parameters.hpp"

namespace cyclotome::rlwe {

/// Parameters on an engine: rings and the tables of key switching. Immutable and shared; schemes derive from it and add
/// theirs.
///
/// Special primes come first in every ring that has them, so that ciphertext primes dropped from the end leave a
/// prefix.
class Context : public std::enable_shared_from_this<Context> {
 public:
  virtual ~Context() = default;

  const Parameters& parameters() const noexcept { return parameters_; }
  const EnginePtr& engine() const noexcept { return engine_; }
  std::size_t degree() const noexcept { return parameters_.degree(); }

  /// Z_Q; Z_PQ, special primes first (Z_Q itself without special primes); one special prime (the last), then Q: what
  /// public-key encryption works in.
  const RingPtr& ciphertext_ring() const noexcept { return ciphertext_ring_; }
  const RingPtr& key_ring() const noexcept { return key_ring_; }
  const RingPtr& encryption_ring() const noexcept { return encryption_ring_; }
  std::size_t special_limbs() const noexcept { return parameters_.special_moduli().size(); }
  /// Z_t of one plaintext modulus. Throws ArgumentError for an index out of range.
  const RingPtr& plain_ring(std::size_t plain) const;
  std::size_t plain_count() const noexcept { return plain_rings_.size(); }

  const KeySwitch& key_switch() const noexcept { return *key_switch_; }
  /// Division by the special prime of encryption; null without special primes.
  const DivideAndRound* encryption_rounding() const noexcept { return encryption_rounding_.get(); }

  /// An array over one of this context's rings, on its engine.
  PolyArray make(const RingPtr& ring, std::size_t batch, std::size_t parts, Domain domain = Domain::coefficient,
                 bool secret = false) const {
    return PolyArray(engine_, ring, batch, parts, domain, secret);
  }

 protected:
  Context(Parameters parameters, EnginePtr engine);

 private:
  Parameters parameters_;
  EnginePtr engine_;
  RingPtr ciphertext_ring_, key_ring_, encryption_ring_;
  std::vector<RingPtr> plain_rings_;
  std::unique_ptr<KeySwitch> key_switch_;
  std::unique_ptr<DivideAndRound> encryption_rounding_;
};

using ContextPtr = std::shared_ptr<const Context>;

/// Names a secret key publicly: random, carried by the key, everything made from it and every ciphertext under it, so
/// that a ciphertext and a key that do not belong together are refused instead of giving garbage.
using KeyId = std::array<std::uint8_t, 16>;

/// Throws MismatchError unless both contexts have the same parameters and the same engine.
void require_same_context(const char* operation, const Context& a, const Context& b);
/// Throws MismatchError unless both ids are equal.
void require_same_key(const char* operation, const KeyId& a, const KeyId& b);

}  // namespace cyclotome::rlwe
