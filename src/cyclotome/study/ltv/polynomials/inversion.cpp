// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/polynomials/inversion.hpp"

#include <algorithm>

#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::study::ltv {

namespace {

using Row = ZeroisingVector<std::uint32_t>;
using Prime = Modulus<std::uint32_t>;

std::uint32_t inverse_of(std::uint32_t a, const Prime& p) { return p.power(a, p.value() - 2); }

/// Replaces values by sum over i of a_i root^(i k) along one factor of m: indices that differ by multiples of `unit`
/// differ in that factor only.
void sum_along(Row& a, std::size_t prime, std::size_t unit, std::uint32_t root, const Prime& p) {
  const std::size_t m = a.size();
  std::vector<std::uint32_t> powers(prime, 1);
  for (std::size_t i = 1; i < prime; ++i) powers[i] = p.multiply(powers[i - 1], root);
  Row line(prime), out(prime);
  for (std::size_t start = 0; start < m; start += prime) {  // one of each line: i = 0 modulo this factor
    check_interrupt_often();
    for (std::size_t i = 0; i < prime; ++i) line[i] = a[(start + i * unit) % m];
    for (std::size_t k = 0; k < prime; ++k) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0, at = 0; i < prime; ++i, at = at + k >= prime ? at + k - prime : at + k) {
        sum += static_cast<std::uint64_t>(line[i]) * powers[at];
        if ((i & 7) == 7) sum = p.reduce_wide(sum);  // products are below 2^60
      }
      out[k] = p.reduce_wide(sum);
    }
    for (std::size_t k = 0; k < prime; ++k) a[(start + k * unit) % m] = out[k];
  }
}

/// The cyclic transform of length m: value u is a(zeta^(+-u)).
void transform(Row& a, const CyclotomicPolynomial& ring, std::uint32_t zeta, bool inverse, const Prime& p) {
  for (const auto& axis : ring.units().axes()) {
    // Along the factor p_i, index i * unit steps; zeta^(unit unit) = zeta^unit as unit^2 = unit mod m.
    const std::uint32_t root = p.power(zeta, axis.unit);
    sum_along(a, axis.prime, axis.unit, inverse ? inverse_of(root, p) : root, p);
  }
}

/// The least root of order m, as the library's rings choose it.
std::uint32_t root_of_unity(const CyclotomicPolynomial& ring, const Prime& p) {
  for (std::uint32_t h = 2;; ++h) {
    const std::uint32_t root = p.power(h, (p.value() - 1) / ring.index());
    const bool full = std::ranges::all_of(
        ring.units().axes(), [&](const auto& axis) { return p.power(root, ring.index() / axis.prime) != 1; });
    if (full) return root;
  }
}

void trim(Row& a) {
  while (!a.empty() && a.back() == 0) a.pop_back();
}

/// a -= factor x^shift b.
void subtract_multiple(Row& a, const Row& b, std::uint32_t factor, std::size_t shift, const Prime& p) {
  if (a.size() < b.size() + shift) a.resize(b.size() + shift);
  const std::uint32_t negative = p.negate(factor), value = p.value();
  const auto quotient = static_cast<std::uint32_t>((static_cast<std::uint64_t>(negative) << 32) / value);
  for (std::size_t i = 0; i < b.size(); ++i) {  // Shoup's product by one factor
    const std::uint32_t guess = static_cast<std::uint32_t>((static_cast<std::uint64_t>(quotient) * b[i]) >> 32);
    const std::uint32_t product = negative * b[i] - guess * value;  // below 2p
    const std::uint32_t sum = a[i + shift] + product;               // below 3p
    const std::uint32_t once = std::min(sum, sum - value);
    a[i + shift] = std::min(once, once - value);
  }
  trim(a);
}

}  // namespace

Row inverse_by_values(const CyclotomicPolynomial& ring, const Prime& p, std::span<const std::uint32_t> a) {
  const std::size_t m = ring.index();
  const std::uint32_t zeta = root_of_unity(ring, p);
  Row values(a.begin(), a.end());
  values.resize(m);
  transform(values, ring, zeta, false, p);
  const std::uint32_t scale = inverse_of(static_cast<std::uint32_t>(m % p.value()), p);
  for (std::size_t u = 0; u < m; ++u) {
    if (greatest_common_divisor(u, m) != 1) {
      values[u] = 0;
      continue;
    }
    if (values[u] == 0) return {};
    values[u] = p.multiply(inverse_of(values[u], p), scale);
  }
  transform(values, ring, zeta, true, p);
  const auto reduced = ring.reduce<std::uint32_t>(values, Residues{p});
  return {reduced.begin(), reduced.end()};
}

Row inverse_by_euclid(const CyclotomicPolynomial& ring, const Prime& p, std::span<const std::uint32_t> a) {
  // r = s Phi + t a throughout, for the pairs (r0, t0) and (r1, t1).
  Row r0, t0, r1(a.begin(), a.end()), t1{1};
  for (const std::int64_t c : ring.coefficients()) r0.push_back(p.reduce_signed(c));
  trim(r1);
  while (!r1.empty() && r1.size() > 1) {
    check_interrupt_often();
    const std::uint32_t lead = inverse_of(r1.back(), p);
    while (r0.size() >= r1.size()) {
      const std::size_t shift = r0.size() - r1.size();
      const std::uint32_t factor = p.multiply(r0.back(), lead);
      subtract_multiple(r0, r1, factor, shift, p);
      subtract_multiple(t0, t1, factor, shift, p);
    }
    std::swap(r0, r1);
    std::swap(t0, t1);
  }
  if (r1.empty()) return {};
  const std::uint32_t scale = inverse_of(r1[0], p);
  for (auto& c : t1) c = p.multiply(c, scale);
  t1.resize(ring.degree());
  return t1;
}

Row inverse_modulo_prime(const CyclotomicPolynomial& ring, const Prime& p, std::span<const std::uint32_t> a) {
  return p.value() % ring.index() == 1 ? inverse_by_values(ring, p, a) : inverse_by_euclid(ring, p, a);
}

}  // namespace cyclotome::study::ltv
