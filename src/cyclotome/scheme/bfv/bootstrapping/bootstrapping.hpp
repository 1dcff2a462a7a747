// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "cyclotome/rlwe/encapsulation/encapsulation.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/digit_removal.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/slot_stages.hpp"

namespace cyclotome::bfv {

/// A map's factors, transformed for the operands that there were (kept_factors.hpp).
class KeptFactors;

/// Fresh noise for used ciphertexts: the same n slots modulo a prime p = 1 mod 2n, with a bound on the noise that does
/// not depend on what was computed before. Exact: the digit that is removed is at most half the sparse secret's weight,
/// always (doc/bootstrapping.md has the theorem).
///
///   1. slots to coefficients, modulo p;  2. down to one prime q_0, under the sparse secret;
///   3. round(p^2 c/q_0): an encryption of p m + e modulo p^2, e an integer, |e| <= weight/2;
///   4. up to all primes, under the usual secret;  5. coefficients to slots, modulo p^2;
///   6. p m + e -> p m;  7. p m modulo p^2 is m modulo p: the same residues, the same noise.
///
/// An object has what parameters and one plaintext modulus need, made once: contexts of the same lattice modulo p and
/// p^2, maps, and their plaintexts. Immutable.
class Bootstrapping {
 public:
  /// Throws UnsupportedError for parameters of another scheme or ring, without special primes or n slots, and for
  /// primes whose square does not fit a word; what `rlwe::sparse_secret_weight` throws; and ParameterError for primes
  /// that leave no room for it.
  Bootstrapping(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const EnginePtr& engine);

  /// Of the lattice, modulo p alone, and modulo p^2.
  const rlwe::ContextPtr& context() const noexcept { return context_; }
  const rlwe::ContextPtr& companion() const noexcept { return companion_; }
  const DigitRemoval& digit_removal() const noexcept { return removal_; }

  /// What `refresh` says.
  rlwe::Ciphertext refresh(const rlwe::Ciphertext& a, const rlwe::EvaluationKeys& keys) const;

  /// Of every result.
  const rlwe::NoiseBound& refreshed_noise() const noexcept { return refreshed_noise_; }
  /// Bits of headroom of a result.
  double refreshed_headroom() const noexcept { return refreshed_headroom_; }
  /// Bits of headroom that an operand at the top level has to have; of noise with the proportions of a result's.
  double least_headroom() const noexcept { return least_headroom_; }
  /// How many bits less noise an operand should have; 0 for one that can be refreshed.
  double late_by(const rlwe::Ciphertext& a) const;
  /// Whether what has such noise can be refreshed.
  bool is_in_time(const rlwe::NoiseModel::State& a) const;

  // --- the steps, of ciphertexts and keys on `context`, then on `companion`
  // -----------------------------------------------------------------------------------------
  /// 1.
  rlwe::Ciphertext slots_to_coefficients(const rlwe::Ciphertext& a, const rlwe::EvaluationKeys& keys) const;
  /// 2.
  rlwe::Encapsulated lowered(const rlwe::Ciphertext& a, const rlwe::EncapsulationKeys& keys) const;
  /// 3.: 2 parts modulo p^2, by item, part and coefficient.
  std::vector<std::uint64_t> rounded(const rlwe::Encapsulated& a) const;
  /// 4. of such residues.
  rlwe::Ciphertext raised(const std::vector<std::uint64_t>& residues, const rlwe::EncapsulationKeys& keys) const;
  /// 5.
  rlwe::Ciphertext coefficients_to_slots(const rlwe::Ciphertext& a, const rlwe::EvaluationKeys& keys) const;
  /// 6.
  rlwe::Ciphertext without_digit(const rlwe::Ciphertext& a, const rlwe::EvaluationKeys& keys) const;

 private:
  /// A map of slots as linear_transform takes it: its factors for each outer rotation, of moves within rows and of
  /// those between them; empty where there are none.
  struct Group {
    const rlwe::RotationGrid* grid;
    std::array<std::vector<rlwe::Plaintext>, 2> factors;
    std::array<std::vector<rlwe::PlainNorms>, 2> norms;
    std::array<std::shared_ptr<KeptFactors>, 2> kept;
  };
  using State = rlwe::NoiseModel::State;

  std::vector<Group> groups(const rlwe::ContextPtr& context, SlotDirection direction) const;
  static rlwe::Ciphertext mapped(const rlwe::Ciphertext& a, const Group& group, const rlwe::EvaluationKeys& keys);
  static State mapped(const State& a, const Group& group, const rlwe::Parameters& parameters);
  /// log2 of what is left of the noise beside the digit's integer part; must be below -1.
  double log2_remainder(State a) const;
  /// The fewest primes in which an operand that can be refreshed still can be.
  rlwe::Level least_level(const rlwe::Ciphertext& a) const;
  /// How many bits less noise something should have.
  double late_by(const State& a) const;
  void find_bounds();
  void require_keys(const rlwe::EvaluationKeys& keys) const;

  rlwe::ContextPtr context_, companion_;
  std::uint64_t prime_;
  unsigned weight_;
  SlotStages stages_;
  DigitRemoval removal_;
  std::vector<Group> to_coefficients_, to_slots_;  ///< in the order in which they are applied
  rlwe::NoiseBound refreshed_noise_;
  double refreshed_headroom_ = 0, least_headroom_ = 0;
};

/// The same slots with the noise `Bootstrapping::refreshed_noise`, over all primes. a: 2 parts (ArgumentError). Throws
/// NoiseError, before anything is computed, for noise that leaves a digit uncertain, and says how much earlier to
/// refresh; MissingKeyError without the relinearisation key, encapsulation keys or one of `bootstrapping_elements`;
/// MismatchError for keys of another secret or other parameters; and what Bootstrapping does.
rlwe::Ciphertext refresh(const rlwe::Ciphertext& a, const rlwe::EvaluationKeys& keys);

/// Of a context of BFV and one of its plaintext moduli: made on first use, which takes seconds. Throws what
/// Bootstrapping does, and MismatchError for another scheme's.
const Bootstrapping& bootstrapping_of(const rlwe::ContextPtr& context, rlwe::PlainIndex plain);

/// The Galois elements whose keys a refresh takes, ascending. Throws UnsupportedError as Bootstrapping does.
std::vector<std::uint64_t> bootstrapping_elements(const rlwe::Parameters& parameters);

}  // namespace cyclotome::bfv
