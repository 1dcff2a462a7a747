// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/math/modulus.hpp"

// Polynomials in one variable over the integers modulo a prime t: what functions of few values are written as. Public;
// not constant-time.
namespace cyclotome::value {

/// Coefficients in [0, t), that of x^i at i; no leading zeros, so 0 has none.
using ResiduePolynomial = std::vector<std::uint64_t>;
using PlainModulus = Modulus<std::uint64_t>;

/// Without leading zeros.
ResiduePolynomial trimmed(ResiduePolynomial f);
ResiduePolynomial scaled(const ResiduePolynomial& f, std::uint64_t factor, const PlainModulus& t);
ResiduePolynomial sum(const ResiduePolynomial& f, const ResiduePolynomial& g, const PlainModulus& t);

struct Division {
  ResiduePolynomial quotient, remainder;
};
/// By a polynomial whose leading coefficient is 1.
Division divided(const ResiduePolynomial& f, const ResiduePolynomial& monic, const PlainModulus& t);
/// By x^exponent.
Division divided_by_power(const ResiduePolynomial& f, std::size_t exponent);

/// The product of x - point.
ResiduePolynomial vanishing(std::span<const std::uint64_t> points, const PlainModulus& t);
/// Of degree below the number of points, which differ modulo the prime t: values[i] at points[i]. Newton's divided
/// differences, in time proportional to the square of their number.
ResiduePolynomial interpolated(std::span<const std::uint64_t> points, std::span<const std::uint64_t> values,
                               const PlainModulus& t);

}  // namespace cyclotome::value
