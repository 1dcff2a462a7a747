// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/study/ltv/polynomials/cyclotomic_polynomial.hpp"

namespace cyclotome::study::ltv {

/// Residues modulo a prime, for CyclotomicPolynomial.
struct Residues {
  const Modulus<std::uint32_t>& p;
  std::uint32_t zero() const noexcept { return 0; }
  std::uint32_t add(std::uint32_t a, std::uint32_t b) const noexcept { return p.add(a, b); }
  std::uint32_t subtract(std::uint32_t a, std::uint32_t b) const noexcept { return p.subtract(a, b); }
};

/// b with a b = 1 modulo Phi_m and p; empty where a has none. a: n residues. By values at the m-th roots of unity where
/// p = 1 mod m, with direct sums along each factor of m; else by Euclid's algorithm, in 2 n^2 products. Not constant
/// time: it is used on keys of a scheme that hides nothing.
ZeroisingVector<std::uint32_t> inverse_modulo_prime(const CyclotomicPolynomial& ring, const Modulus<std::uint32_t>& p,
                                                    std::span<const std::uint32_t> a);
/// Each of the two ways; by values only where p = 1 mod m.
ZeroisingVector<std::uint32_t> inverse_by_values(const CyclotomicPolynomial& ring, const Modulus<std::uint32_t>& p,
                                                 std::span<const std::uint32_t> a);
ZeroisingVector<std::uint32_t> inverse_by_euclid(const CyclotomicPolynomial& ring, const Modulus<std::uint32_t>& p,
                                                 std::span<const std::uint32_t> a);

}  // namespace cyclotome::study::ltv
