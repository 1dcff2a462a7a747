// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/phase_norm.hpp"

#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome::rlwe {

std::vector<BigUnsigned> largest_coefficients(const PolyArray& polynomials, std::uint64_t factor) {
  std::vector<std::uint64_t> residues = polynomials.to_host();
  const Basis& basis = polynomials.ring()->basis();
  const std::size_t n = polynomials.degree(), k = basis.size();
  const BigUnsigned q = basis.product();
  std::vector<BigUnsigned> punctured;
  std::vector<std::uint64_t> factors;  // factor (q/q_i)^-1 mod q_i
  for (std::size_t i = 0; i < k; ++i) {
    punctured.push_back(q.divided_by(basis[i]));
    const Modulus<std::uint64_t> modulus(basis[i]);
    factors.push_back(
        modulus.multiply(modulus.reduce(factor), inverse_or_zero(basis.punctured_product_mod(i, basis[i]), basis[i])));
  }
  std::vector<BigUnsigned> largest(polynomials.batch());
  for (std::size_t b = 0; b < polynomials.batch(); ++b) {
    for (std::size_t c = 0; c < n; ++c) {
      BigUnsigned value;
      for (std::size_t i = 0; i < k; ++i) {
        BigUnsigned term = punctured[i];
        term *= Modulus<std::uint64_t>(basis[i]).multiply(residues[(b * k + i) * n + c], factors[i]);
        value += term;
      }
      while (value >= q) value -= q;
      const BigUnsigned negative = q - value;
      const BigUnsigned& magnitude = negative < value ? negative : value;
      if (magnitude > largest[b]) largest[b] = magnitude;
    }
  }
  secure_zero(residues.data(), residues.size() * sizeof(residues[0]));
  return largest;
}

}  // namespace cyclotome::rlwe
