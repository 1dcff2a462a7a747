// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/evaluation.hpp"
#include "cyclotome/study/ltv/operations.hpp"

namespace cyclotome::study {

/// Circuits in LTV, which is broken: for comparison with paper 002. An item is one ciphertext; a level, as circuits
/// count it, is how many primes are left. Noise is LTV's estimate.
class LtvAlgebra final : public circuit::Algebra {
 public:
  /// Throws MissingKeyError unless the key relinearises.
  explicit LtvAlgebra(ltv::SwitchingKey key);

  /// Throws MismatchError for ciphertexts of other parameters or another key, ArgumentError for products.
  circuit::BatchPtr batch(std::vector<ltv::Ciphertext> ciphertexts) const;
  static const std::vector<ltv::Ciphertext>& ciphertexts(const circuit::Batch& a);

  std::uint64_t modulus() const override { return 2; }
  circuit::Facts facts(const circuit::Batch& a) const override;
  std::size_t items_at_once() const override { return 64; }
  circuit::BatchPtr gather(std::span<const circuit::Place> places) const override;
  std::size_t product_level(std::span<const circuit::Batch* const> operands) const override;
  circuit::BatchPtr lowered(const circuit::Batch& a, std::size_t level) const override;
  circuit::BatchPtr multiply(const circuit::Batch& a, const circuit::Batch& b) const override;
  circuit::BatchPtr relinearize(const circuit::Batch& a) const override;
  circuit::BatchPtr add(const circuit::Batch& a, const circuit::Batch& b) const override;
  circuit::BatchPtr sum_groups(const circuit::Batch& a, std::size_t group) const override;
  circuit::BatchPtr scale(const circuit::Batch& a, std::span<const std::int64_t> factors) const override;
  circuit::BatchPtr add_constants(const circuit::Batch& a, std::span<const std::int64_t> constants) const override;

 private:
  ltv::SwitchingKey key_;
};

/// Computes a circuit over LTV's ciphertexts: a list for each input port. Throws NoiseError as soon as the estimate
/// says that a layer could not be decrypted, and as circuit::evaluate.
std::vector<std::vector<ltv::Ciphertext>> compute(const circuit::Circuit& circuit,
                                                  const std::vector<std::vector<ltv::Ciphertext>>& inputs,
                                                  const ltv::SwitchingKey& key, const circuit::Progress& progress = {});

}  // namespace cyclotome::study
