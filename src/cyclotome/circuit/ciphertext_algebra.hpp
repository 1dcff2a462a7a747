// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/running/key_shares.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::circuit {

/// Circuits over ciphertexts of any scheme that has products. An item is `width` ciphertexts of a batch that follow
/// each other; each slot of each of them is a lane of its own, so that a circuit runs in all of them at once. Without
/// slots (t = 2 in x^n + 1) the constant coefficient is the only lane, and other coefficients must be zero.
class CiphertextAlgebra final : public Algebra {
 public:
  /// Throws MissingKeyError without a relinearisation key, ParameterError for several plaintext moduli, ArgumentError
  /// for width 0.
  CiphertextAlgebra(std::shared_ptr<const rlwe::EvaluationKeys> keys, std::size_t width = 1);
  /// The same, with keys that are brought to the context's engine whenever relinearisations are computed.
  CiphertextAlgebra(std::shared_ptr<const KeyShares> shares, std::size_t device, std::size_t width);

  /// Ciphertexts of 2 parts as items; their number must be a multiple of the width (ArgumentError). Throws
  /// MismatchError for those of another context or key.
  BatchPtr batch(rlwe::Ciphertext ciphertexts) const;
  /// The same where an item is one ciphertext, that all of its lanes share: what is computed of such items alone is
  /// computed once.
  BatchPtr shared(rlwe::Ciphertext ciphertexts) const;
  /// All `width` ciphertexts of each item.
  rlwe::Ciphertext ciphertexts(const Batch& a) const;

  std::uint64_t modulus() const override;
  Facts facts(const Batch& a) const override;
  std::size_t items_at_once() const override;
  BatchPtr gather(std::span<const Place> places) const override;
  std::size_t product_level(std::span<const Batch* const> operands) const override;
  std::uint64_t common_correction(std::span<const Batch* const> operands, std::size_t level) const override;
  std::uint64_t correction_below(const Standing& standing, std::size_t level) const override;
  BatchPtr lowered(const Batch& a, std::size_t level) const override;
  BatchPtr corrected(const Batch& a, std::uint64_t correction) const override;
  BatchPtr copied(const Batch& a) const override;
  std::shared_ptr<const void> keys_at_hand() const override;
  BatchPtr multiply(const Batch& a, const Batch& b) const override;
  BatchPtr relinearize(const Batch& a) const override;
  BatchPtr relinearize_to(const Batch& a, std::size_t level) const override;
  BatchPtr add(const Batch& a, const Batch& b) const override;
  BatchPtr sum_groups(const Batch& a, std::size_t group) const override;
  BatchPtr sum(std::span<const Summands> summands, std::span<const std::int64_t> constants) const override;
  BatchPtr sum_products(std::span<const Place> a, std::span<const Place> b, std::size_t group) const override;
  BatchPtr scale(const Batch& a, std::span<const std::int64_t> factors) const override;
  BatchPtr add_constants(const Batch& a, std::span<const std::int64_t> constants) const override;

 private:
  using KeysPtr = std::shared_ptr<const rlwe::EvaluationKeys>;

  CiphertextAlgebra(rlwe::ContextPtr of_context, const rlwe::KeyId& key, std::size_t width);
  const rlwe::ContextPtr& context() const { return context_; }
  void require_ours(const rlwe::Ciphertext& ciphertexts) const;
  std::size_t width_of(std::span<const Place> places) const;
  BatchPtr widened(const Batch& a, std::size_t width) const;
  KeysPtr keys() const;
  std::vector<rlwe::Member> members(std::span<const Place> places, std::size_t group, std::size_t width) const;
  /// A plaintext that has it in every slot; made once, since making it waits for the engine.
  rlwe::Plaintext constant(std::int64_t value) const;
  /// One part: what the sum with a constant adds to ciphertexts like `like`. Made once, too.
  const rlwe::Ciphertext& constant_term(const rlwe::Ciphertext& like, std::int64_t value) const;

  rlwe::ContextPtr context_;
  rlwe::KeyId key_;
  std::size_t width_;
  KeysPtr keys_;                             // null if they are brought
  std::shared_ptr<const KeyShares> shares_;  // null if they stay
  std::size_t device_ = 0;
  mutable std::weak_ptr<const rlwe::EvaluationKeys> near_;
  std::unique_ptr<const rlwe::NoiseModel> model_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, rlwe::Plaintext> constants_;
  /// By level, correction factor and value.
  mutable std::map<std::tuple<std::size_t, std::uint64_t, std::int64_t>, rlwe::Ciphertext> constant_terms_;
};

/// Items of `width` ciphertexts each that products are computed of at once: as many as take a gibibyte, which keeps
/// every engine busy.
std::size_t items_at_once(const rlwe::Parameters& parameters, std::size_t width);

}  // namespace cyclotome::circuit
