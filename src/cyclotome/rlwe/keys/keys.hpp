// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "cyclotome/math/moved.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::rlwe {

/// Whether a secret key from outside must pass the check that those made here have passed (key_check.hpp), on which
/// noise bounds rest.
enum class KeyCheck : bool { required, skipped };

/// The secret s: ternary, kept transformed over PQ in memory that is locked, and zeroised when freed. Not copyable; one
/// that was moved from is refused where it is used.
class SecretKey {
 public:
  SecretKey(ContextPtr context, PolyArray transformed, const KeyId& id)
      : context_(std::move(context)), s_(std::move(transformed)), id_(id) {
    s_.lock();
  }
  SecretKey(SecretKey&&) = default;
  SecretKey& operator=(SecretKey&&) = default;

  /// Draws a secret with randomness from the operating system, as everything below does.
  static SecretKey generate(const ContextPtr& context);
  /// From n coefficients in {-1, 0, 1}. Throws FormatError for anything else, and for a secret that fails the check.
  static SecretKey from_coefficients(const ContextPtr& context, std::span<const std::int8_t> coefficients,
                                     const KeyId& id, KeyCheck check = KeyCheck::required);
  /// The n coefficients, in {-1, 0, 1}, in locked memory: for the key's own file only.
  ZeroisingVector<std::int8_t> coefficients() const;

  const ContextPtr& context() const { return present(context_); }
  const KeyId& id() const noexcept { return id_; }
  /// s transformed over PQ, and over the ciphertext primes of a level.
  ConstView over_key_ring() const { return present(context_), s_.view(); }
  ConstView at_level(Level level) const {
    return over_key_ring().limbs_at(context_->special_limbs(), *context_->level_ring(level));
  }

 private:
  ContextPtr context_;
  PolyArray s_;
  KeyId id_;
};

/// (-(a s + e), a) over PQ, transformed; `a` expands from `uniform_seed` (specification 5.2; errata 003-10, 001-7).
/// Keys that another library drew have none, and no file of ours.
class PublicKey {
 public:
  PublicKey(ContextPtr context, PolyArray polynomials, const std::optional<PublicSeed>& uniform_seed, const KeyId& id)
      : context_(std::move(context)), polynomials_(std::move(polynomials)), uniform_seed_(uniform_seed), id_(id) {}
  PublicKey(const PublicKey&) = default;  // and no move: math/moved.hpp
  PublicKey& operator=(const PublicKey&) = default;
  static PublicKey generate(const SecretKey& secret);

  const ContextPtr& context() const noexcept { return context_; }
  const PolyArray& polynomials() const noexcept { return polynomials_; }
  const std::optional<PublicSeed>& uniform_seed() const noexcept { return uniform_seed_; }
  const KeyId& id() const noexcept { return id_; }

 private:
  ContextPtr context_;
  PolyArray polynomials_;
  std::optional<PublicSeed> uniform_seed_;
  KeyId id_;
};

/// What everybody begins with.
struct KeyPair {
  /// What SecretKey::generate and PublicKey::generate make, sooner on a device: it has both to do before it is asked
  /// whether they are fit.
  static KeyPair generate(const ContextPtr& context);

  SecretKey secret;      ///< for its owner
  PublicKey public_key;  ///< for everybody
};

/// Key j = (-(a_j s + e_j) + P g_j w, a_j) for every digit j (specification 5.7): digits items of 2 parts over PQ,
/// transformed.
class SwitchingKey {
 public:
  SwitchingKey(PolyArray polynomials, const std::optional<PublicSeed>& uniform_seed)
      : polynomials_(std::move(polynomials)), uniform_seed_(uniform_seed) {}
  SwitchingKey(const SwitchingKey&) = default;  // and no move: math/moved.hpp
  SwitchingKey& operator=(const SwitchingKey&) = default;
  /// target: w over PQ, transformed, 1 part.
  static SwitchingKey generate(const SecretKey& secret, ConstView target);

  const PolyArray& polynomials() const noexcept { return polynomials_; }
  const std::optional<PublicSeed>& uniform_seed() const noexcept { return uniform_seed_; }

 private:
  PolyArray polynomials_;
  std::optional<PublicSeed> uniform_seed_;
};

class EncapsulationKeys;
/// Shared, as all keys' residues are.
using EncapsulationKeysPtr = std::shared_ptr<const EncapsulationKeys>;

/// What the evaluating side may hold: the relinearisation key (w = s^2) and the Galois keys (w = s(x^g)) that were
/// asked for; and what refreshing takes besides, if it was asked for (rlwe/encapsulation/encapsulation_keys.hpp).
class EvaluationKeys {
 public:
  EvaluationKeys(ContextPtr context, std::optional<SwitchingKey> relinearization,
                 std::map<std::uint64_t, SwitchingKey> galois, const KeyId& id,
                 EncapsulationKeysPtr encapsulation = nullptr)
      : context_(std::move(context)),
        relinearization_(std::move(relinearization)),
        galois_(std::move(galois)),
        encapsulation_(std::move(encapsulation)),
        id_(id) {}

  EvaluationKeys(const EvaluationKeys&) = default;  // and no move: math/moved.hpp
  EvaluationKeys& operator=(const EvaluationKeys&) = default;
  /// galois_elements: of the ring's Galois group; duplicates are made once. relinearization: whether to make that key.
  static EvaluationKeys generate(const SecretKey& secret, bool relinearization,
                                 const std::vector<std::uint64_t>& galois_elements);

  const ContextPtr& context() const noexcept { return context_; }
  const KeyId& id() const noexcept { return id_; }
  bool has_relinearization() const noexcept { return relinearization_.has_value(); }
  bool has_galois(std::uint64_t element) const noexcept { return galois_.contains(element); }
  /// Throw MissingKeyError when the key was not made.
  const SwitchingKey& relinearization() const;
  const SwitchingKey& galois(std::uint64_t element) const;
  const std::map<std::uint64_t, SwitchingKey>& all_galois() const noexcept { return galois_; }
  /// Null without.
  const EncapsulationKeysPtr& encapsulation() const noexcept { return encapsulation_; }

 private:
  ContextPtr context_;
  std::optional<SwitchingKey> relinearization_;
  std::map<std::uint64_t, SwitchingKey> galois_;
  EncapsulationKeysPtr encapsulation_;
  KeyId id_;
};

/// What turns ciphertexts under one secret key into ciphertexts under another (w = the first secret): for an owner who
/// changes keys, or hands data on. It is public in the sense of the other evaluation keys, and one-way; but whoever has
/// it and the second secret key can read everything under the first, now and later.
class RekeyingKey {
 public:
  RekeyingKey(ContextPtr context, SwitchingKey key, const KeyId& from, const KeyId& to)
      : context_(std::move(context)), key_(std::move(key)), from_(from), to_(to) {}
  RekeyingKey(const RekeyingKey&) = default;  // and no move: math/moved.hpp
  RekeyingKey& operator=(const RekeyingKey&) = default;
  /// Takes both secrets, so one party must hold both. Throws MismatchError for keys of different parameters and
  /// ArgumentError for one and the same key.
  static RekeyingKey generate(const SecretKey& from, const SecretKey& to);

  const ContextPtr& context() const noexcept { return context_; }
  const SwitchingKey& key() const noexcept { return key_; }
  /// Ids of the two secret keys.
  const KeyId& from() const noexcept { return from_; }
  const KeyId& to() const noexcept { return to_; }

 private:
  ContextPtr context_;
  SwitchingKey key_;
  KeyId from_, to_;
};

/// Fills the uniform half of a public key or switching key from its seed: how a stored key is expanded.
void expand_uniform(Engine& engine, View part, const PublicSeed& uniform_seed);

/// The Galois element that rotates every row of slots by `steps` to the left, a power of the group's first generator (3
/// in x^n + 1); steps may be negative.
std::uint64_t row_rotation_element(const GaloisGroup& group, std::int64_t steps);
/// The Galois element that moves rows by one, the last generator (in x^n + 1 -1, which swaps its two rows).
std::uint64_t column_rotation_element(const GaloisGroup& group) noexcept;
/// A generator's powers 1, 2, 4, ..., by which its orbit is summed. ArgumentError if its order is no power of two.
std::vector<std::uint64_t> doublings(const GaloisGroup& group, const GaloisGroup::Generator& generator);
/// The elements that summing all slots needs: those of every generator (in x^n + 1 rotations by 1, 2, 4, ..., n/4 and
/// the swap).
std::vector<std::uint64_t> slot_sum_elements(const GaloisGroup& group);

}  // namespace cyclotome::rlwe
