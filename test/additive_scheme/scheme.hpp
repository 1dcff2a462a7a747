// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::additive {

/// What its parameters have beside the lattice: one plaintext modulus, and of how many fresh ciphertexts sums must
/// still decrypt.
class Part final : public rlwe::SchemePart {
 public:
  Part(std::uint64_t plain_modulus, std::uint64_t terms) : plain_moduli_{plain_modulus}, terms_(terms) {}

  std::uint64_t terms() const noexcept { return terms_; }
  std::vector<std::uint64_t> numbers() const override { return {plain_moduli_[0], terms_}; }
  const std::vector<std::uint64_t>& plain_moduli() const noexcept override { return plain_moduli_; }
  std::string describe() const override;
  std::string summary() const override;

 private:
  std::vector<std::uint64_t> plain_moduli_;
  std::uint64_t terms_;
};

/// Encryption whose ciphertexts can be added, and nothing else: the phase is m + t e, as in BGV without products.
const rlwe::Scheme& scheme();

}  // namespace cyclotome::additive
