// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::rlwe {

/// The part of schemes whose messages are polynomials modulo t, for one t or several: values live modulo their product.
class PlainModuli final : public SchemePart {
 public:
  /// Throws ParameterError unless there are 1 to 16 of them.
  explicit PlainModuli(std::vector<std::uint64_t> moduli);

  std::vector<std::uint64_t> numbers() const override { return moduli_; }
  const std::vector<std::uint64_t>& plain_moduli() const noexcept override { return moduli_; }
  std::string describe() const override;
  std::string summary() const override;

 private:
  std::vector<std::uint64_t> moduli_;
};

/// Throws ParameterError unless messages modulo each of these have room below the lattice's ciphertext modulus, and all
/// moduli are pairwise coprime.
void check_plain_moduli(const LatticeParameters& lattice, const std::vector<std::uint64_t>& plain_moduli);

/// The fewest bits that a ciphertext modulus has which can hold anything modulo `t`: a fresh error reaches 21 (in x^n +
/// 1; what the ring's ErrorSums says) and must stay below q/(2t), after a rounding of up to 1/2; so q > 43 t. Shorter
/// ones are refused by `Parameters`.
unsigned least_modulus_bits(const RingShape& ring, std::uint64_t t);

}  // namespace cyclotome::rlwe
