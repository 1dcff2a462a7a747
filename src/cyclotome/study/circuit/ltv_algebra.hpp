// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/running/evaluation.hpp"
#include "cyclotome/study/circuit/planned_engine.hpp"

namespace cyclotome::study {

/// LTV's ciphertexts where an engine computes, one an item, and what is known of their phases.
struct LtvBatch final : circuit::Batch {
  LtvBatch(const ltv::Parameters& parameters, ltv::PolynomialsPtr p, std::vector<ltv::Estimate> e);
  ltv::PolynomialsPtr polynomials;
  std::vector<ltv::Estimate> estimates;
  circuit::Facts facts;  ///< of all of them: asked for more often than batches are made
};

/// Circuits in LTV, which is broken: for comparison with paper 002. A level, as circuits count it, is how many primes
/// are left. Noise is LTV's estimate.
class LtvAlgebra final : public circuit::Algebra {
 public:
  explicit LtvAlgebra(ltv::BatchEnginePtr engine);

  /// One or more ciphertexts, brought to the lowest level of any. Throws MismatchError for ciphertexts of
  /// other parameters or another key, ArgumentError for products, and for none.
  circuit::BatchPtr batch(std::span<const ltv::Ciphertext> ciphertexts) const;
  std::vector<ltv::Ciphertext> ciphertexts(const circuit::Batch& a) const;
  const ltv::BatchEnginePtr& engine() const noexcept { return engine_; }

  std::uint64_t modulus() const override { return 2; }
  circuit::Facts facts(const circuit::Batch& a) const override { return dynamic_cast<const LtvBatch&>(a).facts; }
  std::size_t items_at_once() const override { return engine_->items_at_once(); }
  circuit::BatchPtr gather(std::span<const circuit::Place> places) const override;
  std::size_t product_level(std::span<const circuit::Batch* const> operands) const override;
  circuit::BatchPtr lowered(const circuit::Batch& a, std::size_t level) const override;
  circuit::BatchPtr multiply(const circuit::Batch& a, const circuit::Batch& b) const override;
  circuit::BatchPtr relinearize(const circuit::Batch& a) const override;
  circuit::BatchPtr add(const circuit::Batch& a, const circuit::Batch& b) const override;
  circuit::BatchPtr sum_groups(const circuit::Batch& a, std::size_t group) const override;
  circuit::BatchPtr sum(std::span<const circuit::Summands> summands,
                        std::span<const std::int64_t> constants) const override;
  circuit::BatchPtr sum_products(std::span<const circuit::Place> a, std::span<const circuit::Place> b,
                                 std::size_t group) const override;
  circuit::BatchPtr scale(const circuit::Batch& a, std::span<const std::int64_t> factors) const override;
  circuit::BatchPtr add_constants(const circuit::Batch& a, std::span<const std::int64_t> constants) const override;

 private:
  circuit::BatchPtr made(ltv::PolynomialsPtr polynomials, std::vector<ltv::Estimate> estimates) const;
  ltv::BatchEnginePtr engine_;
  const ltv::Parameters& parameters_;
  double mean_square_of_one_;
};

/// What a circuit would take; `compute` computes it. Throws NoiseError where there are too few levels, or the estimate
/// says that a layer could not be decrypted; and as circuit::evaluate.
LtvCounts plan(const circuit::Circuit& circuit, const LtvAlgebra& algebra,
               const std::vector<circuit::BatchPtr>& inputs);

/// Computes a circuit: a batch for each input port, null for one without wires; outputs likewise. Throws, before
/// work starts, what `plan` throws, and MemoryLimitError.
std::vector<circuit::BatchPtr> compute(const circuit::Circuit& circuit, const LtvAlgebra& algebra,
                                       std::vector<circuit::BatchPtr> inputs, const circuit::Progress& progress = {});

}  // namespace cyclotome::study
