// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/polynomials/residue_polynomial.hpp"

#include <algorithm>

#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::value {

namespace {

/// f times x - point, in place.
void multiply_by_root(ResiduePolynomial& f, std::uint64_t point, const PlainModulus& t) {
  f.push_back(0);
  for (std::size_t i = f.size() - 1; i > 0; --i) f[i] = t.subtract(f[i - 1], t.multiply(f[i], point));
  f[0] = t.negate(t.multiply(f[0], point));
}

/// Inverses of all numbers, none of which is 0, for one exponentiation (Montgomery's trick).
std::vector<std::uint64_t> inverses(std::span<const std::uint64_t> numbers, const PlainModulus& t) {
  std::vector<std::uint64_t> before(numbers.size());
  std::uint64_t product = t.reduce(1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    before[i] = product;
    product = t.multiply(product, numbers[i]);
  }
  std::uint64_t inverse = t.power(product, t.value() - 2);
  for (std::size_t i = numbers.size(); i-- > 0;) {
    before[i] = t.multiply(before[i], inverse);
    inverse = t.multiply(inverse, numbers[i]);
  }
  return before;
}

}  // namespace

ResiduePolynomial trimmed(ResiduePolynomial f) {
  while (!f.empty() && f.back() == 0) f.pop_back();
  return f;
}

ResiduePolynomial scaled(const ResiduePolynomial& f, std::uint64_t factor, const PlainModulus& t) {
  ResiduePolynomial result = f;
  for (std::uint64_t& c : result) c = t.multiply(c, factor);
  return trimmed(std::move(result));
}

ResiduePolynomial sum(const ResiduePolynomial& f, const ResiduePolynomial& g, const PlainModulus& t) {
  ResiduePolynomial result = f;
  result.resize(std::max(f.size(), g.size()));
  for (std::size_t i = 0; i < g.size(); ++i) result[i] = t.add(result[i], g[i]);
  return trimmed(std::move(result));
}

Division divided(const ResiduePolynomial& f, const ResiduePolynomial& monic, const PlainModulus& t) {
  if (f.size() < monic.size()) return {{}, f};
  const std::size_t degree = monic.size() - 1;
  ResiduePolynomial rest = f, quotient(f.size() - degree);
  for (std::size_t i = quotient.size(); i-- > 0;) {
    const std::uint64_t c = quotient[i] = rest[i + degree];
    if (c == 0) continue;
    for (std::size_t j = 0; j <= degree; ++j) rest[i + j] = t.subtract(rest[i + j], t.multiply(c, monic[j]));
  }
  return {trimmed(std::move(quotient)), trimmed(std::move(rest))};
}

Division divided_by_power(const ResiduePolynomial& f, std::size_t exponent) {
  if (f.size() <= exponent) return {{}, f};
  const auto middle = f.begin() + static_cast<std::ptrdiff_t>(exponent);
  return {{middle, f.end()}, trimmed({f.begin(), middle})};
}

ResiduePolynomial vanishing(std::span<const std::uint64_t> points, const PlainModulus& t) {
  ResiduePolynomial f = {t.reduce(1)};
  for (const std::uint64_t point : points) multiply_by_root(f, point, t);
  return f;
}

ResiduePolynomial interpolated(std::span<const std::uint64_t> points, std::span<const std::uint64_t> values,
                               const PlainModulus& t) {
  const std::size_t count = points.size();
  std::vector<std::uint64_t> differences(values.begin(), values.end()), gaps;
  for (std::size_t order = 1; order < count; ++order) {
    check_interrupt();
    gaps.clear();
    for (std::size_t i = order; i < count; ++i) gaps.push_back(t.subtract(points[i], points[i - order]));
    const std::vector<std::uint64_t> inverse = inverses(gaps, t);
    for (std::size_t i = count; i-- > order;) {
      differences[i] = t.multiply(t.subtract(differences[i], differences[i - 1]), inverse[i - order]);
    }
  }
  ResiduePolynomial f;  // Horner's rule over Newton's basis
  for (std::size_t i = count; i-- > 0;) {
    if (f.empty()) {
      f.push_back(differences[i]);
      continue;
    }
    multiply_by_root(f, points[i], t);
    f[0] = t.add(f[0], differences[i]);
  }
  return trimmed(std::move(f));
}

}  // namespace cyclotome::value
