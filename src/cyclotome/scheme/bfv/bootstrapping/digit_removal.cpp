// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/bootstrapping/digit_removal.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"

namespace cyclotome::bfv {

namespace {

using Residues = Modulus<std::uint64_t>;
using Polynomial = std::vector<std::uint64_t>;

/// a (w - root).
Polynomial times_linear(const Polynomial& a, std::uint64_t root, const Residues& modulus) {
  Polynomial out(a.size() + 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    out[i + 1] = modulus.add(out[i + 1], a[i]);
    out[i] = modulus.subtract(out[i], modulus.multiply(a[i], root));
  }
  return out;
}

/// N_1: the product of (w - i^2), i = 1 ... bound.
Polynomial vanishing(unsigned bound, const Residues& modulus) {
  Polynomial out{1};
  for (std::uint64_t i = 1; i <= bound; ++i) out = times_linear(out, i * i, modulus);
  return out;
}

/// h by Lagrange from h(i^2) = 1/N'(i), i = 0 ... bound, modulo p. N'(i) is the product of i - j over the other j.
Polynomial inverse_derivative(unsigned bound, const Residues& p) {
  const auto inverse = [&](std::uint64_t a) { return p.power(a, p.value() - 2); };
  const auto b = static_cast<std::int64_t>(bound);
  Polynomial out(bound + 1, 0);
  for (std::int64_t i = 0; i <= b; ++i) {
    std::uint64_t derivative = 1, others = 1;
    Polynomial numerator{1};
    for (std::int64_t j = -b; j <= b; ++j) {
      if (j != i) derivative = p.multiply(derivative, p.reduce_signed(i - j));
      if (j == i || j < 0) continue;
      numerator = times_linear(numerator, p.reduce_signed(j * j), p);
      others = p.multiply(others, p.reduce_signed(i * i - j * j));
    }
    const std::uint64_t scale = inverse(p.multiply(derivative, others));
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = p.add(out[k], p.multiply(numerator[k], scale));
  }
  return out;
}

std::vector<std::int64_t> centred(const Polynomial& a, std::uint64_t modulus) {
  std::vector<std::int64_t> out;
  for (const std::uint64_t x : a) {
    out.push_back(static_cast<std::int64_t>(x) - (x > modulus / 2 ? static_cast<std::int64_t>(modulus) : 0));
  }
  return out;
}

/// What makes the fewest products at depth 7 for every bound up to 24: powers up to 8, so two blocks of coefficients up
/// to a bound of 16, else three.
unsigned powers_for(unsigned bound) {
  if (bound <= 16) return (bound + 1) / 2;
  return (bound + 2) / 3;
}

}  // namespace

DigitRemoval::DigitRemoval(unsigned bound, std::uint64_t prime)
    : bound_(bound), powers_(powers_for(bound)), prime_(prime) {
  if (bound < 4 || bound > 24 || prime <= 2 * std::uint64_t{bound} + 1) {
    throw ParameterError(message("digits up to ", bound, " modulo ", prime,
                                 " can't be removed: bounds from 4 to 24 can, modulo primes above twice the bound"));
  }
  const Residues p(prime), square(prime * prime);
  n_ = centred(vanishing(bound, square), square.value());
  h_ = centred(inverse_derivative(bound, p), prime);
  for (const std::uint64_t m : {std::uint64_t{0}, std::uint64_t{1}, prime / 2, prime - 1}) {
    for (std::int64_t e = -static_cast<std::int64_t>(bound); e <= static_cast<std::int64_t>(bound); ++e) {
      if ((*this)(square.add(prime * m, square.reduce_signed(e))) == prime * m) continue;
      throw ParameterError(message("digit ", e, " modulo ", prime, " is not removed; is ", prime, " a prime?"));
    }
  }
}

std::vector<DigitRemoval::Range> DigitRemoval::blocks() const {
  const std::size_t k = powers_, all = bound_ + 1;
  // The last block may have the step itself as its last power: it costs nothing.
  if (bound_ <= 2 * k) return {{0, k}, {k, all}};
  return {{0, k}, {k, 2 * k}, {2 * k, all}};
}

std::uint64_t DigitRemoval::operator()(std::uint64_t u) const {
  struct Ops {
    Residues modulus;
    std::uint64_t square(std::uint64_t a) const { return modulus.multiply(a, a); }
    std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const { return modulus.multiply(a, b); }
    std::uint64_t add(std::uint64_t a, std::uint64_t b) const { return modulus.add(a, b); }
    std::uint64_t times(std::uint64_t a, std::int64_t k) const { return modulus.multiply(a, modulus.reduce_signed(k)); }
    std::uint64_t add_constant(std::uint64_t a, std::int64_t k) const {
      return modulus.add(a, modulus.reduce_signed(k));
    }
  };
  return apply(Ops{Residues(prime_ * prime_)}, u);
}

}  // namespace cyclotome::bfv
