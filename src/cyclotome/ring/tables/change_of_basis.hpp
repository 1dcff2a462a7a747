// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/tables/cyclotomic_index.hpp"

namespace cyclotome {

/// Numbers that a change of basis adds and subtracts: residues modulo q.
struct ResidueArithmetic {
  using Number = std::uint64_t;
  Modulus<std::uint64_t> q;

  Number enter(std::uint64_t x) const {
    if (x < q.value()) return x;
    throw ArgumentError(message("coefficient ", x, " is not a residue modulo ", q.value(), ": reduce it first"));
  }
  Number leave(Number x) const noexcept { return x; }
  Number add(Number a, Number b) const noexcept { return q.add(a, b); }
  Number subtract(Number a, Number b) const noexcept { return q.subtract(a, b); }
};

/// And integers of 64 bits: exact, since what lies between is right modulo 2^128.
struct IntegerArithmetic {
  using Number = u128;

  Number enter(std::int64_t x) const noexcept { return static_cast<Number>(static_cast<i128>(x)); }
  std::int64_t leave(Number x) const {
    const auto value = static_cast<i128>(x);
    if (value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max()) {
      return static_cast<std::int64_t>(value);
    }
    throw ArgumentError(
        "a coefficient in the other basis has more than 64 bits; work modulo a prime, or on fewer bits");
  }
  Number add(Number a, Number b) const noexcept { return a + b; }
  Number subtract(Number a, Number b) const noexcept { return a - b; }
};

/// Between polynomials and the normal integral basis {zeta^j : j a unit modulo m} of Z[x]/Phi_m, in storage order.
template <class Arithmetic>
class NormalBasis {
 public:
  using Number = typename Arithmetic::Number;
  using Numbers = std::vector<Number>;

  NormalBasis(const CyclotomicIndex& index, const Arithmetic& arithmetic)
      : index_(index), arithmetic_(arithmetic), m_(index.index()) {}

  /// A polynomial of any length, exponents modulo m. Along each axis 1 = -(zeta + ... + zeta^(p-1)): what stands at
  /// exponent 0 is subtracted from the others. At most k m subtractions.
  Numbers from_polynomial(std::span<const Number> polynomial) const {
    Numbers box(m_);
    for (std::size_t i = 0; i < polynomial.size(); ++i) {
      Number& at = box[box_place(i % m_)];
      at = arithmetic_.add(at, polynomial[i]);
    }
    std::size_t stride = m_;
    for (const auto& axis : index_.axes()) {
      stride /= axis.prime;
      for (std::size_t first = 0; first < m_; first += axis.prime * stride) {
        for (std::size_t i = first + stride; i < first + axis.prime * stride; ++i) {
          box[i] = arithmetic_.subtract(box[i], box[first + (i - first) % stride]);
        }
      }
    }
    Numbers coefficients(index_.degree());
    for_units([&](std::size_t place, std::uint64_t exponent) { coefficients[place] = box[box_place(exponent)]; });
    return coefficients;
  }

  /// The polynomial of degree below n. Phi_m is the product of (1 - x^d)^mu(m/d) over all d | m and a palindrome: the
  /// quotient by it comes from the highest coefficients, and its product with the quotient is subtracted. At most
  /// 2^(k+1) passes of additions.
  Numbers to_polynomial(std::span<const Number> coefficients) const {
    const std::size_t n = index_.degree();
    Numbers a(m_);
    for_units([&](std::size_t place, std::uint64_t exponent) { a[exponent] = coefficients[place]; });
    Numbers quotient(a.rbegin(), a.rbegin() + static_cast<std::ptrdiff_t>(m_ - n));
    apply_modulus(quotient, false);
    std::reverse(quotient.begin(), quotient.end());
    quotient.resize(n);
    apply_modulus(quotient, true);
    a.resize(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = arithmetic_.subtract(a[i], quotient[i]);
    return a;
  }

 private:
  /// Of x^i in an array of p_1 times ... times p_k, row-major.
  std::size_t box_place(std::uint64_t exponent) const noexcept {
    std::size_t place = 0;
    for (const auto& axis : index_.axes()) place = place * axis.prime + exponent % axis.prime;
    return place;
  }

  /// body(place, j) for every unit j: coefficient e is that of zeta^j, j = g^-e.
  template <class Body>
  void for_units(const Body& body) const {
    std::vector<std::uint32_t> places{0};
    std::vector<std::uint64_t> exponents{0};
    for (const auto& axis : index_.axes()) {
      std::vector<std::uint32_t> more_places;
      std::vector<std::uint64_t> more_exponents;
      for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t e = 0; e < axis.length(); ++e) {
          const std::uint64_t residue = axis.powers[(axis.length() - e) % axis.length()];
          more_places.push_back(places[i] + axis.offsets[e]);
          more_exponents.push_back((exponents[i] + residue * axis.unit) % m_);
        }
      }
      places = std::move(more_places);
      exponents = std::move(more_exponents);
    }
    for (std::size_t i = 0; i < places.size(); ++i) body(places[i], exponents[i]);
  }

  /// A power series times Phi_m, or divided by it, as far as there are entries.
  void apply_modulus(Numbers& series, bool times) const {
    const auto& axes = index_.axes();
    for (const bool multiply : {true, false}) {  // differences first keep sums short
      for (std::size_t subset = 0; subset < std::size_t{1} << axes.size(); ++subset) {
        std::size_t d = 1;
        bool odd = false;  // mu(m/d) = -1
        for (std::size_t i = 0; i < axes.size(); ++i) {
          if ((subset >> i & 1) != 0) {
            d *= axes[i].prime;
          } else {
            odd = !odd;
          }
        }
        if ((odd != times) != multiply) continue;
        if (multiply) {
          for (std::size_t i = series.size(); i-- > d;) series[i] = arithmetic_.subtract(series[i], series[i - d]);
        } else {
          for (std::size_t i = d; i < series.size(); ++i) series[i] = arithmetic_.add(series[i], series[i - d]);
        }
      }
    }
  }

  const CyclotomicIndex& index_;
  const Arithmetic arithmetic_;
  const std::size_t m_;
};

}  // namespace cyclotome
