// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/basis.hpp"

// Constants of base conversions: one residue for each limb of a basis.
namespace cyclotome {

/// One value per modulus of `basis`.
template <class Value>
std::vector<std::uint64_t> per_limb(const Basis& basis, Value&& value) {
  std::vector<std::uint64_t> values;
  for (const auto b : basis.values()) values.push_back(value(b));
  return values;
}

inline std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  return static_cast<std::uint64_t>(static_cast<u128>(a % m) * (b % m) % m);
}

inline std::uint64_t inverse_of_product(const Basis& q, std::uint64_t m) {
  const std::uint64_t inverse = m == 1 ? 0 : inverse_or_zero(q.product_mod(m), m);
  if (inverse == 0)
    throw ParameterError(message("the ciphertext moduli and ", m, " share a factor; they must be coprime"));
  return inverse;
}

inline std::uint64_t inverse_of(std::uint64_t a, std::uint64_t m) {
  return inverse_of_product(Basis(Word::u64, {a}), m);
}

inline std::uint64_t negate_mod(std::uint64_t a, std::uint64_t m) { return (m - a % m) % m; }

inline std::vector<std::uint64_t> inverses(const Basis& product, const Basis& basis) {
  return per_limb(basis, [&](std::uint64_t b) { return inverse_of_product(product, b); });
}

inline std::vector<std::uint64_t> negative_inverses(const Basis& product, const Basis& basis) {
  return per_limb(basis, [&](std::uint64_t b) { return negate_mod(inverse_of_product(product, b), b); });
}

}  // namespace cyclotome
