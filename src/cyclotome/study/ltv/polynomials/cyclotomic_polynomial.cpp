// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/polynomials/cyclotomic_polynomial.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study::ltv {

CyclotomicPolynomial::CyclotomicPolynomial(std::uint64_t m) : units_(m, std::uint64_t{1} << 17) {
  if (degree() > most_degree) {
    throw ParameterError(message("Phi_", m, " has degree ", degree(),
                                 "; products of 2n points are made for degrees up to ", most_degree,
                                 ", as 65535 has; take a smaller index"));
  }
  divisors_ = {{1, units_.axes().size() % 2 == 0 ? 1 : -1}};
  for (const auto& axis : units_.axes()) {
    for (std::size_t i = 0, count = divisors_.size(); i < count; ++i) {
      divisors_.push_back({divisors_[i].value * axis.prime, -divisors_[i].sign});
    }
  }
  // Phi_m = product of (1 - x^d)^mu(m/d), as m > 1: a power series that ends at x^n.
  coefficients_.assign(degree() + 1, 0);
  coefficients_[0] = 1;
  for (const auto& [d, sign] : divisors_) {
    if (sign > 0) {
      for (std::size_t i = coefficients_.size(); i-- > d;) coefficients_[i] -= coefficients_[i - d];
    } else {
      for (std::size_t i = d; i < coefficients_.size(); ++i) coefficients_[i] += coefficients_[i - d];
    }
  }
}

std::vector<std::int64_t> CyclotomicPolynomial::reciprocal() const {
  // Phi_m reads the same backwards, so these are the first coefficients of 1/Phi_m, backwards.
  std::vector<std::int64_t> series(degree(), 0);
  series[0] = 1;
  for (const auto& [d, sign] : divisors_) {
    if (sign > 0) {
      for (std::size_t i = d; i < series.size(); ++i) series[i] += series[i - d];
    } else {
      for (std::size_t i = series.size(); i-- > d;) series[i] -= series[i - d];
    }
  }
  return {series.rbegin(), series.rend()};
}

double CyclotomicPolynomial::mean_square(std::span<const double> a) const {
  double total = 0;
  for (const auto& [d, sign] : divisors_) {
    std::vector<double> sums(d, 0.0);
    for (std::size_t i = 0; i < a.size(); ++i) sums[i % d] += a[i];
    double squares = 0;
    for (const double sum : sums) squares += sum * sum;
    total += sign * static_cast<double>(d) * squares;
  }
  return total / static_cast<double>(degree());
}

}  // namespace cyclotome::study::ltv
