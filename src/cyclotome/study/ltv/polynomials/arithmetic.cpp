// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/polynomials/arithmetic.hpp"

#include <algorithm>
#include <bit>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/study/ltv/polynomials/inversion.hpp"

namespace cyclotome::study::ltv {

namespace {

std::size_t points_for(std::size_t length) { return std::max(CarrierTransform::least_points, std::bit_ceil(length)); }

/// Whether terms * a * b + sum stays below P; then `result` is it.
bool fits_carrier(std::uint64_t& result, std::size_t terms, std::uint64_t a, std::uint64_t b, std::uint64_t sum) {
  const u128 product = static_cast<u128>(a) * b;
  if (product >= carrier::modulus) return false;
  const u128 total = product * terms + sum;
  result = static_cast<std::uint64_t>(total);
  return total < carrier::modulus;
}

}  // namespace

std::string name_of(Domain domain) {
  constexpr const char* names[] = {"RAW", "CRT", "NTT"};
  return names[static_cast<std::size_t>(domain)];
}

ArithmeticPtr Arithmetic::create(std::uint64_t m, const std::vector<std::uint64_t>& primes) {
  return ArithmeticPtr(new Arithmetic(m, primes));
}

Arithmetic::Arithmetic(std::uint64_t m, const std::vector<std::uint64_t>& primes)
    : ring_(m), basis_(primes), transform_(points_for(ring_.product_length())) {
  const std::uint64_t top = basis_.largest() - 1;
  std::uint64_t largest = 0;
  if (!fits_carrier(largest, degree(), top, top, 0)) {
    throw ParameterError(message("n (p - 1)^2 = ", degree(), " * ", top,
                                 "^2 is not below P = 2^64 - 2^32 + 1, so products ",
                                 "of polynomials would not be exact; take primes of fewer bits, or a smaller ring"));
  }
  const auto residues_of = [&](const std::vector<std::int64_t>& coefficients) {
    Polynomial a = empty(Domain::crt, basis_.size(), coefficients.size());
    for (std::size_t j = 0; j < a.primes; ++j) {
      for (std::size_t i = 0; i < a.length; ++i) {
        a.words[j * a.length + i] = basis_.modulus(j).reduce_signed(coefficients[i]);
      }
    }
    return a;
  };
  modulus_ = residues_of(ring_.coefficients());
  modulus_ntt_ = ntt_of(modulus_, 0, modulus_.length);
  const Polynomial reciprocal = residues_of(ring_.reciprocal());
  reciprocal_ntt_ = ntt_of(reciprocal, 0, reciprocal.length);
}

Polynomial Arithmetic::empty(Domain domain, std::size_t primes, std::size_t length) const {
  Polynomial a{domain, primes, length};
  if (domain == Domain::raw) a.words.resize(length * basis_.words(primes));
  if (domain == Domain::crt) a.words.resize(length * primes);
  if (domain == Domain::ntt) a.values.resize(length * primes);
  return a;
}

void Arithmetic::require(const Polynomial& a, Domain domain, const char* operation) const {
  if (a.primes < 1 || a.primes > primes()) {
    throw MismatchError(
        message(operation, ": a polynomial modulo ", a.primes, " primes, of an arithmetic of ", primes()));
  }
  if (a.domain != domain) {
    throw ArgumentError(message(operation, ": a polynomial in the ", name_of(a.domain), " domain; convert it to the ",
                                name_of(domain), " domain first"));
  }
  const std::size_t cells = domain == Domain::raw   ? degree() * basis_.words(a.primes)
                            : domain == Domain::crt ? a.length * a.primes
                                                    : points() * (a.shared ? 1 : a.primes);
  const std::size_t held = domain == Domain::ntt ? a.values.size() : a.words.size();
  const bool length_fits = domain == Domain::ntt   ? a.length == points()
                           : domain == Domain::raw ? a.length == degree()
                                                   : a.length >= 1 && a.length <= ring_.product_length();
  if (held != cells || !length_fits) {
    throw MismatchError(message(operation, ": a polynomial of ", a.length,
                                " coefficients or points, of another ring than Phi_", ring_.index()));
  }
}

void Arithmetic::require_like(const Polynomial& a, const Polynomial& b, const char* operation) const {
  if (a.primes != b.primes) {
    throw MismatchError(message(operation, ": polynomials modulo ", a.primes, " and ", b.primes,
                                " primes; bring both to one level first"));
  }
  if (a.domain == Domain::crt && a.length != b.length) {
    throw MismatchError(message(operation, ": polynomials of ", a.length, " and ", b.length,
                                " coefficients; reduce both modulo Phi_", ring_.index(), " first"));
  }
}

Polynomial Arithmetic::raw(std::span<const std::uint32_t> words, std::size_t primes) const {
  if (primes < 1 || primes > this->primes()) {
    throw MismatchError(message("raw: ", primes, " primes; there are ", this->primes()));
  }
  const std::size_t width = basis_.words(primes);
  if (words.size() != degree() * width) {
    throw ArgumentError(message("raw: ", words.size(), " words; ", degree(), " coefficients have ", width, " each"));
  }
  Polynomial a = empty(Domain::raw, primes, degree());
  std::ranges::copy(words, a.words.begin());
  const LevelConstants level = basis_.constants(primes);
  for (std::size_t i = 0; i < degree(); ++i) {
    const auto* const x = a.words.data() + i * width;
    if (!std::lexicographical_compare(std::reverse_iterator(x + width), std::reverse_iterator(x),
                                      std::reverse_iterator(level.product + width),
                                      std::reverse_iterator(level.product))) {
      throw RangeError(
          message("raw: coefficient ", i, " is not below q, the product of the first ", primes, " primes"));
    }
  }
  return a;
}

Polynomial Arithmetic::of_small(std::span<const std::int64_t> values, std::size_t primes) const {
  if (values.size() != degree() || primes < 1 || primes > this->primes()) {
    throw ArgumentError(message("of_small: ", values.size(), " values modulo ", primes, " primes; n = ", degree(),
                                " values and at most ", this->primes(), " primes"));
  }
  Polynomial a = empty(Domain::crt, primes, degree());
  for (std::size_t j = 0; j < primes; ++j) {
    const auto& p = basis_.modulus(j);
    for (std::size_t i = 0; i < degree(); ++i) a.words[j * degree() + i] = p.reduce_signed(values[i]);
  }
  return a;
}

Polynomial Arithmetic::crt(const Polynomial& a) const {
  require(a, Domain::raw, "CRT");
  Polynomial result = empty(Domain::crt, a.primes, degree());
  const unsigned width = basis_.words(a.primes);
  for (std::size_t i = 0; i < degree(); ++i) {
    check_interrupt_often();
    for (std::size_t j = 0; j < a.primes; ++j) {
      result.words[j * degree() + i] = residue_of(a.words.data() + i * width, width, 1, basis_.modulus(j));
    }
  }
  return result;
}

Polynomial Arithmetic::icrt(const Polynomial& a) const {
  require(a, Domain::crt, "ICRT");
  if (a.length != degree()) {
    throw ArgumentError(message("ICRT: ", a.length, " coefficients; reduce modulo Phi_", ring_.index(), " first"));
  }
  Polynomial result = empty(Domain::raw, a.primes, degree());
  const LevelConstants level = basis_.constants(a.primes);
  for (std::size_t i = 0; i < degree(); ++i) {
    check_interrupt_often();
    integer_of(result.words.data() + i * level.words, a.words.data() + i, degree(), level);
  }
  return result;
}

Polynomial Arithmetic::ntt_of(const Polynomial& a, std::size_t first, std::size_t count) const {
  Polynomial result = empty(Domain::ntt, a.primes, points());
  result.largest = basis_.largest() - 1;
  for (std::size_t j = 0; j < a.primes; ++j) {
    std::uint64_t* const row = result.values.data() + j * points();
    std::copy_n(a.words.data() + j * a.length + first, count, row);
    transform_.forward(row);
  }
  return result;
}

Polynomial Arithmetic::ntt(const Polynomial& a) const {
  require(a, Domain::crt, "NTT");
  if (a.length > degree()) {
    throw ArgumentError(message("NTT: ", a.length, " coefficients; reduce modulo Phi_", ring_.index(), " first"));
  }
  return ntt_of(a, 0, a.length);
}

Polynomial Arithmetic::intt(const Polynomial& a) const {
  require(a, Domain::ntt, "INTT");
  const std::size_t length = ring_.product_length();
  Polynomial result = empty(Domain::crt, a.primes, length);
  ZeroisingVector<std::uint64_t> row(points());
  for (std::size_t j = 0; j < a.primes; ++j) {
    if (j == 0 || !a.shared) {
      std::copy_n(a.row(j), points(), row.begin());
      transform_.inverse(row.data());
    }
    const auto& p = basis_.modulus(j);
    for (std::size_t i = 0; i < length; ++i) result.words[j * length + i] = p.reduce_wide(row[i]);
  }
  return result;
}

Polynomial Arithmetic::digit_ntt(const Polynomial& a, unsigned number, unsigned window) const {
  require(a, Domain::raw, "digit");
  if (window < 1 || (std::uint64_t{1} << window) >= basis_.largest()) {
    throw ParameterError(
        message("digits of ", window, " bits are not below every prime; take 1 to fewer than the primes' bits"));
  }
  Polynomial result{Domain::ntt, a.primes, points()};
  result.shared = true;
  result.largest = (std::uint64_t{1} << window) - 1;
  result.values.resize(points());
  const unsigned width = basis_.words(a.primes);
  for (std::size_t i = 0; i < degree(); ++i) {
    result.values[i] = digit_of(a.words.data() + i * width, width, number, window);
  }
  transform_.forward(result.values.data());
  return result;
}

Polynomial Arithmetic::add(const Polynomial& a, const Polynomial& b) const {
  require(a, Domain::crt, "ADD"), require(b, Domain::crt, "ADD"), require_like(a, b, "ADD");
  Polynomial result = empty(Domain::crt, a.primes, a.length);
  for (std::size_t j = 0; j < a.primes; ++j) {
    const auto& p = basis_.modulus(j);
    for (std::size_t i = j * a.length; i < (j + 1) * a.length; ++i) result.words[i] = p.add(a.words[i], b.words[i]);
  }
  return result;
}

Polynomial Arithmetic::subtract(const Polynomial& a, const Polynomial& b) const {
  require(a, Domain::crt, "subtract"), require(b, Domain::crt, "subtract"), require_like(a, b, "subtract");
  Polynomial result = empty(Domain::crt, a.primes, a.length);
  for (std::size_t j = 0; j < a.primes; ++j) {
    const auto& p = basis_.modulus(j);
    for (std::size_t i = j * a.length; i < (j + 1) * a.length; ++i)
      result.words[i] = p.subtract(a.words[i], b.words[i]);
  }
  return result;
}

Polynomial Arithmetic::scale(const Polynomial& a, std::uint64_t factor) const {
  require(a, Domain::crt, "scale");
  Polynomial result = empty(Domain::crt, a.primes, a.length);
  for (std::size_t j = 0; j < a.primes; ++j) {
    const auto& p = basis_.modulus(j);
    const std::uint32_t residue = p.reduce_wide(factor);
    for (std::size_t i = j * a.length; i < (j + 1) * a.length; ++i) result.words[i] = p.multiply(a.words[i], residue);
  }
  return result;
}

std::uint64_t Arithmetic::largest_product(const Polynomial& a, const Polynomial& b, std::uint64_t sum) const {
  require(a, Domain::ntt, "product"), require(b, Domain::ntt, "product");
  if (b.primes < a.primes) {
    throw MismatchError(message("product: polynomials modulo ", a.primes, " and ", b.primes,
                                " primes; the second may have more, not fewer"));
  }
  std::uint64_t result = 0;
  if (!fits_carrier(result, degree(), a.largest, b.largest, sum)) {
    throw ArgumentError(message("product: coefficients could reach ", degree(), " * ", a.largest, " * ", b.largest,
                                " + ", sum, ", beyond P = 2^64 - 2^32 + 1; go back to the CRT domain before"));
  }
  return result;
}

Polynomial Arithmetic::dot(const Polynomial& a, const Polynomial& b) const {
  Polynomial result = ntt_zero(a.primes);
  multiply_add(result, a, b);
  return result;
}

Polynomial Arithmetic::ntt_zero(std::size_t primes) const { return empty(Domain::ntt, primes, points()); }

void Arithmetic::multiply_add(Polynomial& sum, const Polynomial& a, const Polynomial& b) const {
  require(sum, Domain::ntt, "MULADD"), require_like(sum, a, "MULADD");
  if (sum.shared) throw ArgumentError("MULADD: a sum with one row for all primes; start from a sum of a row each");
  sum.largest = largest_product(a, b, sum.largest);
  for (std::size_t j = 0; j < a.primes; ++j) {
    const std::uint64_t* const x = a.row(j);
    const std::uint64_t* const y = b.row(j);
    std::uint64_t* const out = sum.values.data() + j * points();
    for (std::size_t i = 0; i < points(); ++i) out[i] = carrier::add(out[i], carrier::multiply(x[i], y[i]));
  }
}

Polynomial Arithmetic::barrett(const Polynomial& f) const {
  require(f, Domain::crt, "BARRETT");
  const std::size_t n = degree();
  if (f.length <= n || f.length > ring_.product_length()) {
    throw ArgumentError(
        message("BARRETT: ", f.length, " coefficients; a product has ", n + 1, " to ", ring_.product_length()));
  }
  // trunc(F, k) is floor(F/x^k) (erratum 002-8).
  const Polynomial first = intt(dot(ntt_of(f, n, f.length - n), reciprocal_ntt_));
  const Polynomial multiple = intt(dot(ntt_of(first, n - 1, n), modulus_ntt_));
  Polynomial result = empty(Domain::crt, f.primes, n);
  for (std::size_t j = 0; j < f.primes; ++j) {
    const auto& p = basis_.modulus(j);
    for (std::size_t i = 0; i < n; ++i) {
      result.words[j * n + i] = p.subtract(f.words[j * f.length + i], multiple.words[j * multiple.length + i]);
    }
  }
  return result;
}

Polynomial Arithmetic::reduced(const Polynomial& f) const {
  require(f, Domain::crt, "reduction");
  const std::size_t n = degree(), m = ring_.index(), length = std::min(f.length, m);
  Polynomial result = empty(Domain::crt, f.primes, n);
  ZeroisingVector<std::uint32_t> folded(length);  // modulo x^m - 1
  for (std::size_t j = 0; j < f.primes; ++j) {
    check_interrupt_often();
    const auto& p = basis_.modulus(j);
    const std::uint32_t* const row = f.words.data() + j * f.length;
    std::copy_n(row, length, folded.begin());
    for (std::size_t i = length; i < f.length; ++i) folded[i - length] = p.add(folded[i - length], row[i]);
    const auto low = ring_.reduce<std::uint32_t>(folded, Residues{p});
    std::ranges::copy(low, result.words.begin() + static_cast<std::ptrdiff_t>(j * n));
  }
  return result;
}

Polynomial Arithmetic::multiply_transformed(const Polynomial& a, const Polynomial& b) const {
  return barrett(intt(dot(a, b)));
}

Polynomial Arithmetic::multiply(const Polynomial& a, const Polynomial& b) const {
  require_like(a, b, "multiply");
  return multiply_transformed(ntt(a), ntt(b));
}

Polynomial Arithmetic::automorphism(const Polynomial& a, std::uint64_t k) const {
  require(a, Domain::crt, "automorphism");
  const std::uint64_t m = ring_.index();
  if (greatest_common_divisor(k, m) != 1 || a.length > degree()) {
    throw ArgumentError(message("automorphism: x -> x^", k, " of ", a.length, " coefficients; k is prime to m = ", m,
                                ", and polynomials are reduced"));
  }
  Polynomial result = empty(Domain::crt, a.primes, degree());
  ZeroisingVector<std::uint32_t> all(m);
  for (std::size_t j = 0; j < a.primes; ++j) {
    std::ranges::fill(all, 0U);
    for (std::size_t i = 0; i < a.length; ++i) all[i * (k % m) % m] = a.words[j * a.length + i];
    const auto reduced = ring_.reduce<std::uint32_t>(all, Residues{basis_.modulus(j)});
    std::ranges::copy(reduced, result.words.begin() + static_cast<std::ptrdiff_t>(j * degree()));
  }
  return result;
}

Polynomial Arithmetic::restricted(const Polynomial& a, std::size_t primes) const {
  require(a, Domain::crt, "restricted");
  if (primes < 1 || primes > a.primes) {
    throw ArgumentError(message("restricted: from ", a.primes, " primes to ", primes, "; fewer, and at least one"));
  }
  Polynomial result = empty(Domain::crt, primes, a.length);
  std::copy_n(a.words.begin(), result.words.size(), result.words.begin());
  return result;
}

Polynomial Arithmetic::switched(const Polynomial& a) const {
  require(a, Domain::crt, "modulus switch");
  if (a.primes == 1) {
    throw ArgumentError("modulus switch: a polynomial modulo one prime has no level left");
  }
  const std::size_t last = a.primes - 1;
  Polynomial result = empty(Domain::crt, last, a.length);
  const std::uint32_t* const dropped = a.words.data() + last * a.length;
  for (std::size_t j = 0; j < last; ++j) {
    const std::uint32_t inverse = basis_.inverse(last, j);
    for (std::size_t i = 0; i < a.length; ++i) {
      result.words[j * a.length + i] = divided_residue(
          a.words[j * a.length + i], even_remainder(dropped[i], basis_.prime(last)), inverse, basis_.modulus(j));
    }
  }
  return result;
}

Polynomial Arithmetic::inverse(const Polynomial& a) const {
  require(a, Domain::crt, "inverse");
  if (a.length != degree()) throw ArgumentError(message("inverse: reduce modulo Phi_", ring_.index(), " first"));
  Polynomial result = empty(Domain::crt, a.primes, degree());
  for (std::size_t j = 0; j < a.primes; ++j) {
    const std::span row(a.words.data() + j * degree(), degree());
    const auto inverted = inverse_modulo_prime(ring_, basis_.modulus(j), row);
    if (inverted.empty()) {
      throw ArgumentError(message("inverse: the polynomial shares a factor with Phi_", ring_.index(),
                                  " modulo the prime ", basis_.prime(j), ", so it has no inverse; take another one"));
    }
    std::ranges::copy(inverted, result.words.begin() + static_cast<std::ptrdiff_t>(j * degree()));
  }
  return result;
}

Arithmetic::Bytes Arithmetic::bytes() const noexcept {
  return {modulus_.bytes(), modulus_ntt_.bytes(), reciprocal_ntt_.bytes(),
          transform_.twiddles().size() * sizeof(std::uint64_t)};
}

}  // namespace cyclotome::study::ltv
