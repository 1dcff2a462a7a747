// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/rlwe/execution_cache.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"
#include "cyclotome/rlwe/switching/key_switch.hpp"
#include "cyclotome/rlwe/switching/level_switch.hpp"

namespace cyclotome::rlwe {

class Ciphertext;
class EvaluationKeys;
class Flooding;
class Plaintext;
class PublicKey;
class SecretKey;
struct Member;
struct Seeded;

/// Parameters on an engine: rings, the tables of key switching, and the scheme's operations, which scheme/scheme.hpp
/// calls. Immutable and shared; schemes derive from it and add theirs.
///
/// A ciphertext's level is the number of its ciphertext primes, which are a prefix of all. Special primes come first in
/// every ring that has them, so that what a lower level keeps of a key is a prefix too.
class Context : public std::enable_shared_from_this<Context> {
 public:
  virtual ~Context() = default;

  /// Names this context, with all tables that it makes, within the process.
  std::uint64_t id() const noexcept { return key_ring_->id(); }
  const Parameters& parameters() const noexcept { return parameters_; }
  const Scheme& scheme() const noexcept { return parameters_.scheme(); }
  const EnginePtr& engine() const noexcept { return engine_; }
  std::size_t degree() const noexcept { return parameters_.degree(); }
  const GaloisGroup& galois() const noexcept { return parameters_.ring()->galois(); }
  /// Whose elements rotate slots: automorphisms of this ring that parameters().slot_ring() names.
  const GaloisGroup& slot_galois() const noexcept { return parameters_.slot_ring()->galois(); }
  Domain native_domain() const noexcept { return scheme().native_domain(); }

  /// Z_Q; Z_PQ, special primes first (Z_Q itself without special primes); one special prime (the last), then Q: what
  /// public-key encryption works in.
  const RingPtr& ciphertext_ring() const noexcept { return level_rings_.back(); }
  const RingPtr& key_ring() const noexcept { return key_ring_; }
  const RingPtr& encryption_ring() const noexcept { return encryption_ring_; }
  /// Z_P; null without special primes.
  const RingPtr& special_ring() const noexcept { return special_ring_; }
  std::size_t special_limbs() const noexcept { return parameters_.special_moduli().size(); }
  /// The ring of a level. Throws ArgumentError outside [1, all].
  const RingPtr& level_ring(Level level) const;
  Level max_level() const noexcept { return Level(level_rings_.size()); }
  /// log2 of the product of a level's primes. Throws ArgumentError outside [1, all].
  double log2_modulus(Level level) const;
  /// Z_t of one plaintext modulus. Throws ArgumentError for an index out of range.
  const RingPtr& plain_ring(PlainIndex plain) const;
  /// The same over parameters().slot_ring(): plain_ring itself where that is the whole ring.
  const RingPtr& slot_ring(PlainIndex plain) const;
  std::size_t plain_count() const noexcept { return plain_rings_.size(); }

  /// What errors are multiples of, by plaintext modulus. Keys are the same for all of them.
  ErrorMultiples error_multiples(PlainIndex plain) const {
    const std::uint64_t t = preserved_modulus(plain);
    return {plain_count() == 1 ? t : 1, t};
  }
  /// The plaintext modulus that divisions preserve: t (BGV) or 1.
  std::uint64_t preserved_modulus(PlainIndex plain) const { return scheme().error_multiple(parameters_.part(), plain); }

  /// Key switching at a level, for one plaintext modulus. Tables are made on first use; thread-safe.
  const KeySwitch& key_switch(Level level, PlainIndex plain) const;
  /// Key switching at the top level, for what does not depend on a plaintext modulus: the shape of keys.
  const KeySwitch& key_switch() const { return key_switch(max_level(), PlainIndex(0)); }
  /// From one level to a lower one, and back, of ciphertexts that were raised from a third one (`level` itself if not);
  /// likewise.
  const LevelSwitch& level_switch(Level level, Level from, Level to) const;
  /// Division by the special prime of encryption; null without special primes.
  const DivideAndRound* encryption_rounding(PlainIndex plain) const;

  /// One of this context's programs, ready for its engine: written by `build` on first use. Thread-safe.
  template <class Build>
  ExecutionPtr execution(const ProgramKey& key, const Build& build) const {
    return executions_.find(key, *engine_, build);
  }

  /// An array over one of this context's rings, on its engine.
  PolyArray make(const RingPtr& ring, std::size_t batch, std::size_t parts, Domain domain = Domain::coefficient,
                 bool secret = false) const {
    return PolyArray(engine_, ring, batch, parts, domain, secret);
  }

  // --- the scheme's operations; what they need and throw stands in scheme/scheme.hpp --------------------------------
  Ciphertext encrypt(const Plaintext& plaintext, const PublicKey& key) const;
  Ciphertext encrypt(const Plaintext& plaintext, const SecretKey& key) const;
  virtual Plaintext decrypt(const Ciphertext& ciphertext, const SecretKey& key) const = 0;
  virtual Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const SecretKey& key) const = 0;
  Plaintext reveal(const Ciphertext& ciphertext, const SecretKey& key, unsigned flooding_bits) const;
  /// For decryption by several: what each of them adds to its share of a phase, and messages from the sum of all of
  /// that. Throw what `reveal` does.
  virtual Flooding flooding(const Ciphertext& ciphertext, unsigned flooding_bits, std::size_t parties) const = 0;
  virtual Plaintext open_flooded(const Ciphertext& ciphertext, const PolyArray& phases,
                                 const Flooding& flooding) const = 0;
  virtual double noise_headroom(const Ciphertext& ciphertext) const = 0;
  virtual std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const SecretKey& key) const = 0;
  virtual std::vector<double> measured_noise(const Ciphertext& ciphertext, const SecretKey& key) const = 0;

  virtual Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  virtual Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) const;
  virtual Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const = 0;
  virtual Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) const = 0;
  /// The products throw UnsupportedError by default, and name the scheme.
  virtual Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  virtual Ciphertext square(const Ciphertext& a) const;
  virtual Ciphertext sum_products(std::span<const Member> a, std::span<const Member> b, std::size_t group) const;
  virtual Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const EvaluationKeys& keys) const;
  virtual Ciphertext square_relinearized(const Ciphertext& a, const EvaluationKeys& keys) const;
  /// The product by one of the scheme's methods, "" for its own choice: a b, or a^2 without b; relinearised if there
  /// are keys. Throws ArgumentError for a name that the scheme does not know, which by default is every one.
  virtual Ciphertext multiply_by(std::string_view method, const Ciphertext& a, const Ciphertext* b,
                                 const EvaluationKeys* keys) const;
  virtual Ciphertext concatenate(std::span<const Ciphertext* const> arrays) const;
  Ciphertext rerandomize(const Ciphertext& a, const PublicKey& key) const;
  /// Throws ArgumentError by default: ciphertexts have one level only.
  virtual Ciphertext switch_to_level(const Ciphertext& a, Level level) const;
  /// By default one after the other.
  virtual Ciphertext relinearize_to_level(const Ciphertext& a, const EvaluationKeys& keys, Level level) const;

 protected:
  Context(Parameters parameters, EnginePtr engine);

  // What draws, from a seed that is spent. Functions of the same purpose above take theirs from the operating system.
  friend struct Seeded;  // deterministic.hpp, for tests
  virtual Ciphertext encrypt_from(const Plaintext& plaintext, const PublicKey& key, Seed&& seed) const = 0;
  virtual Ciphertext encrypt_from(const Plaintext& plaintext, const SecretKey& key, Seed&& seed) const = 0;
  virtual Plaintext reveal_from(const Ciphertext& ciphertext, const SecretKey& key, unsigned flooding_bits,
                                Seed&& seed) const = 0;
  virtual Ciphertext rerandomize_from(const Ciphertext& a, const PublicKey& key, Seed&& seed) const;

 private:
  Parameters parameters_;
  EnginePtr engine_;
  RingPtr special_ring_, key_ring_, encryption_ring_;
  std::vector<RingPtr> level_rings_;
  std::vector<RingPtr> plain_rings_, slot_rings_;
  std::vector<std::unique_ptr<DivideAndRound>>
      encryption_roundings_;  // by plaintext modulus; empty without special primes
  ExecutionCache executions_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, std::uint64_t>, std::unique_ptr<KeySwitch>>
      key_switches_;  // by limbs, preserved
  mutable std::map<std::array<std::size_t, 3>, std::unique_ptr<const LevelSwitch>> level_switches_;
};

/// Shared by everything that was made on it.
using ContextPtr = std::shared_ptr<const Context>;

/// Names a secret key publicly: random, carried by the key, everything made from it and every ciphertext under it, so
/// that a ciphertext and a key that do not belong together are refused instead of giving garbage.
using KeyId = std::array<std::uint8_t, 16>;

/// Throws MismatchError unless both contexts have the same parameters and the same engine.
void require_same_context(const char* operation, const Context& a, const Context& b);
/// Throws MismatchError unless both ids are equal.
void require_same_key(const char* operation, const KeyId& a, const KeyId& b);

}  // namespace cyclotome::rlwe
