// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/polynomials/residue_polynomial.hpp"

#include <algorithm>
#include <type_traits>

#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/value/polynomials/montgomery.hpp"

namespace cyclotome::value {

namespace {

/// Arithmetic in which long rows are worked through. Of odd t below 2^31: products in Montgomery's form, which
/// compilers make vector code of. A number times a multiplier is an ordinary number.
class Words32 {
 public:
  using Number = std::uint32_t;
  explicit Words32(const PlainModulus& t) : montgomery_(static_cast<Number>(t.value())) {}
  Number multiplier(std::uint64_t a) const { return montgomery_.enter(static_cast<Number>(a)); }
  Number multiply(Number a, Number multiplier) const {
    const Number lazy = montgomery_.reduce_lazy(static_cast<std::uint64_t>(a) * multiplier);
    return std::min(lazy, lazy - montgomery_.value());
  }
  Number subtract(Number a, Number b) const { return std::min(a - b, a - b + montgomery_.value()); }

 private:
  Montgomery<std::uint32_t> montgomery_;
};

/// Of any t.
class Words64 {
 public:
  using Number = std::uint64_t;
  explicit Words64(const PlainModulus& t) : t_(t) {}
  Number multiplier(std::uint64_t a) const { return a; }
  Number multiply(Number a, Number multiplier) const { return t_.multiply(a, multiplier); }
  Number subtract(Number a, Number b) const { return t_.subtract(a, b); }

 private:
  const PlainModulus& t_;
};

/// body(words) with the quickest arithmetic modulo t.
template <class Body>
auto with_words(const PlainModulus& t, const Body& body) {
  return t.value() % 2 == 1 && t.bits() <= 31 ? body(Words32(t)) : body(Words64(t));
}

template <class Words>
using Numbers = std::vector<typename Words::Number>;

/// A polynomial that grows by a root at a time. Its coefficients move down in memory as it does, so that each of them
/// stays where the next one's neighbour was and rows are worked through forwards.
template <class Words>
class Growing {
 public:
  using Number = typename Words::Number;
  Growing(const Words& words, std::size_t most) : words_(words), memory_(most, 0), first_(most) {}

  /// f (x - point) + constant; from nothing, the constant.
  void grow(std::uint64_t point, std::uint64_t constant) {
    const Number factor = words_.multiplier(point);
    const std::size_t last = memory_.size() - 1;
    Number* const f = memory_.data();
    --first_;  // where 0 stands
    for (std::size_t i = first_; i < last; ++i) f[i] = words_.subtract(f[i], words_.multiply(f[i + 1], factor));
    f[first_] = words_.subtract(f[first_], words_.subtract(0, static_cast<Number>(constant)));
  }

  ResiduePolynomial finish() const {
    return trimmed({memory_.begin() + static_cast<std::ptrdiff_t>(first_), memory_.end()});
  }

 private:
  const Words& words_;
  Numbers<Words> memory_;
  std::size_t first_;
};

/// Newton's coefficients: c_k = (y_k - P(x_k)) / prod (x_k - x_j) over the j < k, with P what they make of those. Both
/// sides of the fraction are kept for all later points at once, so that each step is one quotient and rows of products.
template <class Words>
std::vector<std::uint64_t> newton(const Words& words, std::span<const std::uint64_t> points,
                                  std::span<const std::uint64_t> values, const PlainModulus& t) {
  using Number = typename Words::Number;
  const std::size_t count = points.size();
  Numbers<Words> left(values.begin(), values.end()), products(count, 1), multipliers;
  for (const std::uint64_t point : points) multipliers.push_back(words.multiplier(point));
  std::vector<std::uint64_t> coefficients;
  for (std::size_t k = 0; k < count; ++k) {
    check_interrupt();
    const std::uint64_t c = t.multiply(left[k], t.power(products[k], t.value() - 2));
    coefficients.push_back(c);
    const Number factor = words.multiplier(c), multiplier = multipliers[k];
    Number* const y = left.data();
    Number* const p = products.data();
    const Number* const x = multipliers.data();
    for (std::size_t i = k + 1; i < count; ++i) {
      y[i] = words.subtract(y[i], words.multiply(p[i], factor));
      p[i] = words.multiply(p[i], words.subtract(x[i], multiplier));
    }
  }
  return coefficients;
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
  return with_words(t, [&](const auto& words) -> Division {
    using Words = std::decay_t<decltype(words)>;
    Numbers<Words> rest(f.begin(), f.end());
    const Numbers<Words> divisor(monic.begin(), monic.end());
    ResiduePolynomial quotient(f.size() - degree);
    for (std::size_t i = quotient.size(); i-- > 0;) {
      quotient[i] = rest[i + degree];
      if (quotient[i] == 0) continue;
      const auto factor = words.multiplier(quotient[i]);
      auto* const r = rest.data() + i;
      const auto* const d = divisor.data();
      for (std::size_t j = 0; j <= degree; ++j) r[j] = words.subtract(r[j], words.multiply(d[j], factor));
    }
    return {trimmed(std::move(quotient)), trimmed({rest.begin(), rest.end()})};
  });
}

Division divided_by_power(const ResiduePolynomial& f, std::size_t exponent) {
  if (f.size() <= exponent) return {{}, f};
  const auto middle = f.begin() + static_cast<std::ptrdiff_t>(exponent);
  return {{middle, f.end()}, trimmed({f.begin(), middle})};
}

ResiduePolynomial vanishing(std::span<const std::uint64_t> points, const PlainModulus& t) {
  return with_words(t, [&](const auto& words) {
    Growing f(words, points.size() + 1);
    f.grow(0, t.reduce(1));
    for (const std::uint64_t point : points) {
      check_interrupt();
      f.grow(point, 0);
    }
    return f.finish();
  });
}

ResiduePolynomial interpolated(std::span<const std::uint64_t> points, std::span<const std::uint64_t> values,
                               const PlainModulus& t) {
  return with_words(t, [&](const auto& words) {
    const std::vector<std::uint64_t> coefficients = newton(words, points, values, t);
    Growing f(words, points.size());  // Horner's rule over Newton's basis
    for (std::size_t i = points.size(); i-- > 0;) {
      check_interrupt();
      f.grow(points[i], coefficients[i]);
    }
    return f.finish();
  });
}

}  // namespace cyclotome::value
