// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/batch_engine.hpp"

namespace cyclotome::study {

/// What a circuit takes, if every factor is transformed once at each level, and keys are read once for each call.
struct LtvCounts {
  std::size_t transforms = 0;  ///< modulo P, forward and back
  std::size_t products = 0;    ///< modulo P: of transforms with each other and with keys, and in transforms
  std::size_t key_bytes = 0;   ///< read from keys
  std::size_t peak_bytes = 0;  ///< the most that polynomials take together
};

/// Computes nothing, and counts: what a circuit would take on another engine. Its polynomials have no coefficients.
class PlannedEngine final : public ltv::BatchEngine {
 public:
  explicit PlannedEngine(ltv::BatchEnginePtr like);
  ~PlannedEngine() override;

  /// Polynomials that are there already.
  ltv::PolynomialsPtr blank(std::size_t items, std::size_t primes);
  LtvCounts counts() const noexcept;

  const ltv::SwitchingKey& key() const noexcept override { return like_->key(); }
  std::size_t items_at_once() const override { return like_->items_at_once(); }
  void require_memory(const std::string& operation, std::size_t bytes) const override {
    like_->require_memory(operation, bytes);
  }
  std::size_t bytes_each(std::size_t primes) const override { return like_->bytes_each(primes); }
  std::size_t bytes_besides() const override { return like_->bytes_besides(); }

  ltv::PolynomialsPtr put(std::span<const ltv::Polynomial* const> polynomials) override;
  /// Throws ArgumentError: there is nothing.
  std::vector<ltv::Polynomial> get(const ltv::Polynomials& polynomials) override;
  ltv::PolynomialsPtr sums(std::span<const ltv::Member> terms, std::size_t group,
                           const std::vector<bool>& ones) override;
  ltv::PolynomialsPtr sum_products(std::span<const ltv::Member> a, std::span<const ltv::Member> b,
                                   std::size_t group) override;
  ltv::PolynomialsPtr relinearized(std::span<const ltv::Member> polynomials) override;
  ltv::PolynomialsPtr lowered(const ltv::Polynomials& polynomials, const std::vector<bool>& divided) override;

 private:
  struct Account;
  class Blank;
  ltv::BatchEnginePtr like_;
  std::shared_ptr<Account> account_;
};

}  // namespace cyclotome::study
