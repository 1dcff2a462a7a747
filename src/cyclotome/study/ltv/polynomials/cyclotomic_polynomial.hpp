// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/ring/tables/cyclotomic_index.hpp"

namespace cyclotome::study::ltv {

/// Phi_m, m odd and squarefree, as a product of (x^d - 1)^mu(m/d) over the divisors d of m: reducing by it is a few
/// passes of sums and differences (doc/ltv.md). Polynomials are coefficients by power of x.
class CyclotomicPolynomial {
 public:
  /// Of how many coefficients polynomials may be.
  static constexpr std::size_t most_degree = 32768;

  /// Throws ParameterError unless m is odd and squarefree, 3 or more, with phi(m) at most most_degree.
  explicit CyclotomicPolynomial(std::uint64_t m);

  std::uint64_t index() const noexcept { return units_.index(); }
  /// phi(m).
  std::size_t degree() const noexcept { return units_.degree(); }
  /// Coefficients of a product before it is reduced.
  std::size_t product_length() const noexcept { return 2 * degree() - 1; }
  const CyclotomicIndex& units() const noexcept { return units_; }
  /// Coefficients of Phi_m, degree() + 1 of them.
  const std::vector<std::int64_t>& coefficients() const noexcept { return coefficients_; }
  /// floor(x^(2n-1)/Phi_m): n coefficients, for Barrett's reduction.
  std::vector<std::int64_t> reciprocal() const;

  struct Divisor {
    std::size_t value;
    int sign;  ///< mu(m/value)
  };
  const std::vector<Divisor>& divisors() const noexcept { return divisors_; }

  /// f modulo Phi_m, f of any length up to m. T is a type with + and -, or residues of which `Group` knows zero, add
  /// and subtract.
  template <class T, class Group>
  std::vector<T> reduce(std::span<const T> f, const Group& group) const;

  /// The normal integral basis {x^j : j prime to m}, in which decryption rounds: coefficient of x^j at j, of m values.
  template <class T, class Group>
  std::vector<T> to_normal(std::span<const T> f, const Group& group) const;

  /// The mean of |a(zeta^u)|^2 over all u prime to m, from its coefficients: sum of mu(m/d) d sum_r S(d, r)^2 over n,
  /// where S(d, r) adds the coefficients of x^i with i = r mod d.
  double mean_square(std::span<const double> a) const;

 private:
  CyclotomicIndex units_;
  std::vector<Divisor> divisors_;
  std::vector<std::int64_t> coefficients_;
};

/// Integers, or floating-point numbers.
template <class T>
struct Numbers {
  T zero() const { return 0; }
  T add(T a, T b) const { return a + b; }
  T subtract(T a, T b) const { return a - b; }
};

/// Bits.
struct BitGroup {
  std::uint8_t zero() const { return 0; }
  std::uint8_t add(std::uint8_t a, std::uint8_t b) const { return a ^ b; }
  std::uint8_t subtract(std::uint8_t a, std::uint8_t b) const { return a ^ b; }
};

template <class T, class Group>
std::vector<T> CyclotomicPolynomial::reduce(std::span<const T> f, const Group& group) const {
  const std::size_t n = degree();
  std::vector<T> low(f.begin(), f.begin() + static_cast<std::ptrdiff_t>(std::min(n, f.size())));
  low.resize(n, group.zero());
  if (f.size() <= n) return low;
  // The quotient, from its highest coefficient down: power series in 1/x, times (1 - x^-d)^-mu for each divisor.
  std::vector<T> quotient(f.rbegin(), f.rend() - static_cast<std::ptrdiff_t>(n));
  for (const auto& [d, sign] : divisors_) {
    if (sign > 0) {
      for (std::size_t i = d; i < quotient.size(); ++i) quotient[i] = group.add(quotient[i], quotient[i - d]);
    } else {
      for (std::size_t i = quotient.size(); i-- > d;) quotient[i] = group.subtract(quotient[i], quotient[i - d]);
    }
  }
  // Its product with Phi_m, as far as x^(n-1): times (1 - x^d)^mu, and Phi_m has an even number of factors but for m
  // = 1.
  std::vector<T> product(n, group.zero());
  for (std::size_t i = 0; i < std::min(n, quotient.size()); ++i) product[i] = quotient[quotient.size() - 1 - i];
  for (const auto& [d, sign] : divisors_) {
    if (sign > 0) {
      for (std::size_t i = n; i-- > d;) product[i] = group.subtract(product[i], product[i - d]);
    } else {
      for (std::size_t i = d; i < n; ++i) product[i] = group.add(product[i], product[i - d]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) low[i] = group.subtract(low[i], product[i]);
  return low;
}

template <class T, class Group>
std::vector<T> CyclotomicPolynomial::to_normal(std::span<const T> f, const Group& group) const {
  const std::size_t m = index();
  std::vector<T> all(f.begin(), f.end());
  all.resize(m, group.zero());
  for (const auto& axis : units_.axes()) {
    // x^j with p | j is minus the sum of x^(j + i m/p), i = 1 ... p - 1, as all of them add up to 0.
    const std::size_t step = m / axis.prime;
    for (std::size_t j = 0; j < m; j += axis.prime) {
      for (std::size_t i = 1; i < axis.prime; ++i) {
        T& other = all[(j + i * step) % m];
        other = group.subtract(other, all[j]);
      }
      all[j] = group.zero();
    }
  }
  return all;
}

}  // namespace cyclotome::study::ltv
