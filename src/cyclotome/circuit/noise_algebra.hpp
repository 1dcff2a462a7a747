// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"

namespace cyclotome::circuit {

/// A circuit before anything is encrypted, or computed: batches are noise bounds and levels, by the very formulas that
/// ciphertexts carry theirs with, and the memory that ciphertexts would take.
class NoiseAlgebra final : public Algebra {
 public:
  using State = rlwe::NoiseModel::State;

  /// width: ciphertexts for each item; see CiphertextAlgebra. key_bytes: what relinearisation takes besides;
  /// scratch: the most that engines take while they compute. Throws ParameterError unless the parameters have one
  /// plaintext modulus.
  explicit NoiseAlgebra(rlwe::Parameters parameters, std::size_t width, std::size_t items_at_once,
                        std::uint64_t key_bytes = 0, std::uint64_t scratch = 0);
  ~NoiseAlgebra() override;

  /// Items with this noise, at this level, of 2 parts.
  BatchPtr batch(std::size_t items, const State& state) const;
  /// The same, whose memory is the caller's and not counted.
  BatchPtr given(std::size_t items, const State& state) const;
  /// The same, of one ciphertext for each item, which all of its lanes share.
  BatchPtr given_shared(std::size_t items, const State& state) const;
  /// Bytes of so many items of 2 parts.
  std::uint64_t bytes_of_items(std::size_t items, const State& state) const;
  /// The state of a batch.
  static const State& state_of(const Batch& a);
  State fresh() const { return model_->fresh(); }
  /// The most bytes that batches, its inputs included, have taken together.
  std::uint64_t peak_bytes() const noexcept { return memory_->peak; }
  /// The same, with the key's bytes while relinearisations were computed.
  std::uint64_t peak_bytes_with_key() const noexcept { return memory_->peak_with_key; }

  std::uint64_t modulus() const override;
  Facts facts(const Batch& a) const override;
  std::size_t items_at_once() const override { return items_at_once_; }
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
  BatchPtr add(const Batch& a, const Batch& b) const override;
  BatchPtr sum_groups(const Batch& a, std::size_t group) const override;
  BatchPtr scale(const Batch& a, std::span<const std::int64_t> factors) const override;
  BatchPtr add_constants(const Batch& a, std::span<const std::int64_t> constants) const override;

 private:
  struct Memory {
    std::uint64_t held = 0, peak = 0, key = 0, peak_with_key = 0;
    void take(std::uint64_t bytes) noexcept;
  };
  class Bound;

  static const Bound& of(const Batch& a);
  BatchPtr made(std::size_t items, std::size_t parts, std::size_t width, const State& state) const;
  /// With as many items, as wide.
  BatchPtr made_like(const Bound& like, std::size_t parts, const State& state) const;
  BatchPtr put_together(BatchPtr result) const;
  BatchPtr worked_out(BatchPtr result) const;
  void take_for_now(std::uint64_t bytes) const;
  BatchPtr bound(std::size_t items, std::size_t parts, std::size_t width, const State& state,
                 std::uint64_t bytes) const;

  rlwe::Parameters parameters_;
  std::unique_ptr<const rlwe::NoiseModel> model_;
  std::size_t width_, items_at_once_;
  std::uint64_t key_bytes_, scratch_;
  std::shared_ptr<Memory> memory_;
};

/// The level at which products of operands of these states keep most headroom: where the noisiest would, all brought to
/// the lowest level among them.
rlwe::Level level_of_products(const rlwe::NoiseModel& model, std::span<const rlwe::NoiseModel::State> operands);

/// The correction factor, of those that operands of these states have at a level or two of them meet at, with which the
/// noisiest has least noise. The order of operands does not matter.
std::uint64_t correction_of_operands(const rlwe::NoiseModel& model, std::uint64_t modulus,
                                     std::span<const rlwe::NoiseModel::State> operands, std::size_t level);
/// The correction factor of what has this standing, at a lower level.
std::uint64_t correction_below(const rlwe::NoiseModel& model, const Standing& standing, std::size_t level);
/// The centred factor modulo t that takes one correction factor to another.
std::int64_t factor_between(std::uint64_t from, std::uint64_t to, std::uint64_t modulus);

/// A circuit takes parameters with one plaintext modulus. Throws ParameterError otherwise.
void require_one_modulus(const rlwe::Parameters& parameters);

}  // namespace cyclotome::circuit
