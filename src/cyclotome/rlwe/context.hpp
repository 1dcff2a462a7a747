// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/rlwe/key_switch.hpp"
#include "cyclotome/rlwe/parameters.hpp"

namespace cyclotome::rlwe {

/// How a scheme uses what all lattice schemes share.
struct SchemeTraits {
  /// The domain that ciphertexts are kept in: where the scheme's products need them.
  Domain native_domain = Domain::coefficient;
  /// Whether messages stand in the low digits of the phase (BGV), so that errors carry the plaintext modulus and
  /// divisions keep the phase's residue modulo it, or in the high ones (BFV).
  bool low_digits = false;
};

/// Parameters on an engine: rings and the tables of key switching. Immutable and shared; schemes derive from it and add
/// theirs.
///
/// A ciphertext's level is the number of its ciphertext primes, which are a prefix of all. Special primes come first in
/// every ring that has them, so that what a lower level keeps of a key is a prefix too.
class Context : public std::enable_shared_from_this<Context> {
 public:
  virtual ~Context() = default;

  /// Names this context, with all tables that it makes, within the process.
  std::uint64_t id() const noexcept { return key_ring_->id(); }
  const Parameters& parameters() const noexcept { return parameters_; }
  const EnginePtr& engine() const noexcept { return engine_; }
  std::size_t degree() const noexcept { return parameters_.degree(); }
  Domain native_domain() const noexcept { return traits_.native_domain; }
  bool low_digits() const noexcept { return traits_.low_digits; }

  /// Z_Q; Z_PQ, special primes first (Z_Q itself without special primes); one special prime (the last), then Q: what
  /// public-key encryption works in.
  const RingPtr& ciphertext_ring() const noexcept { return level_rings_.back(); }
  const RingPtr& key_ring() const noexcept { return key_ring_; }
  const RingPtr& encryption_ring() const noexcept { return encryption_ring_; }
  std::size_t special_limbs() const noexcept { return parameters_.special_moduli().size(); }
  /// The ring of a level: the first `limbs` ciphertext primes. Throws ArgumentError outside [1, all].
  const RingPtr& level_ring(std::size_t limbs) const;
  std::size_t max_level() const noexcept { return level_rings_.size(); }
  /// log2 of the product of a level's primes. Throws ArgumentError outside [1, all].
  double log2_modulus(std::size_t limbs) const;
  /// Z_t of one plaintext modulus. Throws ArgumentError for an index out of range.
  const RingPtr& plain_ring(std::size_t plain) const;
  std::size_t plain_count() const noexcept { return plain_rings_.size(); }

  /// What errors are multiples of, by plaintext modulus. Keys are the same for all of them.
  ErrorMultiples error_multiples(std::size_t plain) const {
    const std::uint64_t t = preserved_modulus(plain);
    return {plain_count() == 1 ? t : 1, t};
  }
  /// The plaintext modulus that divisions preserve: t (BGV) or 1.
  std::uint64_t preserved_modulus(std::size_t plain) const {
    return traits_.low_digits ? parameters_.plain_moduli()[plain] : 1;
  }

  /// Key switching at a level, for one plaintext modulus. Tables are made on first use; thread-safe.
  const KeySwitch& key_switch(std::size_t limbs, std::size_t plain) const;
  /// Key switching at the top level, for what does not depend on a plaintext modulus: the shape of keys.
  const KeySwitch& key_switch() const { return key_switch(max_level(), 0); }
  /// Division by the special prime of encryption; null without special primes.
  const DivideAndRound* encryption_rounding(std::size_t plain) const;

  /// An array over one of this context's rings, on its engine.
  PolyArray make(const RingPtr& ring, std::size_t batch, std::size_t parts, Domain domain = Domain::coefficient,
                 bool secret = false) const {
    return PolyArray(engine_, ring, batch, parts, domain, secret);
  }

 protected:
  Context(Parameters parameters, EnginePtr engine, SchemeTraits traits);

 private:
  Parameters parameters_;
  EnginePtr engine_;
  SchemeTraits traits_;
  RingPtr special_ring_, key_ring_, encryption_ring_;
  std::vector<RingPtr> level_rings_;
  std::vector<RingPtr> plain_rings_;
  std::vector<std::unique_ptr<DivideAndRound>>
      encryption_roundings_;  // by plaintext modulus; empty without special primes
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, std::uint64_t>, std::unique_ptr<KeySwitch>>
      key_switches_;  // by limbs, preserved
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
