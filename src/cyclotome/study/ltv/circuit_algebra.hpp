// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/study/ltv/operations.hpp"

namespace cyclotome::study::ltv {

/// Circuits over LTV's ciphertexts, BROKEN as they are: a bit of each slot is a lane, so that a circuit runs in all
/// slots at once. An item is one ciphertext. Levels are counted as `circuit` does, by the primes that are left.
///
/// Operands of products are switched until their square stays below what relinearisation adds; where that makes them
/// noisier they are only reduced, as fresh encryptions are.
class CircuitAlgebra final : public circuit::Algebra {
 public:
  /// Throws MissingKeyError for a key that moves slots.
  explicit CircuitAlgebra(std::shared_ptr<const SwitchingKey> relinearization);

  /// Throws MismatchError for ciphertexts of other parameters or another key.
  circuit::BatchPtr batch(std::vector<Ciphertext> ciphertexts) const;
  static std::vector<Ciphertext> ciphertexts(const circuit::Batch& a);

  std::uint64_t modulus() const override { return 2; }
  circuit::Facts facts(const circuit::Batch& a) const override;
  std::size_t items_at_once() const override { return 16; }
  circuit::BatchPtr gather(std::span<const circuit::Place> places) const override;
  std::size_t product_level(std::span<const circuit::Batch* const> operands) const override;
  circuit::BatchPtr lowered(const circuit::Batch& a, std::size_t level) const override;
  circuit::BatchPtr multiply(const circuit::Batch& a, const circuit::Batch& b) const override;
  circuit::BatchPtr relinearize(const circuit::Batch& a) const override;
  circuit::BatchPtr add(const circuit::Batch& a, const circuit::Batch& b) const override;
  circuit::BatchPtr sum_groups(const circuit::Batch& a, std::size_t group) const override;
  /// Modulo 2 every factor is 1.
  circuit::BatchPtr scale(const circuit::Batch& a, std::span<const std::int64_t> factors) const override;
  circuit::BatchPtr add_constants(const circuit::Batch& a, std::span<const std::int64_t> constants) const override;

 private:
  Ciphertext brought_to(Ciphertext a, std::size_t primes) const;
  double most_of_factor(std::size_t primes) const;

  std::shared_ptr<const SwitchingKey> key_;
  ParametersPtr parameters_;
};

}  // namespace cyclotome::study::ltv
