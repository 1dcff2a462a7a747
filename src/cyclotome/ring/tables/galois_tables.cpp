// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/tables/galois_tables.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome {

namespace {

template <LimbWord W>
Gaussian<W> power(Gaussian<W> base, std::uint64_t exponent, const Modulus<W>& p) {
  Gaussian<W> result{1, 0};
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base, p);
    base = multiply(base, base, p);
  }
  return result;
}

/// h for p = 1 mod 2n from a root of order 2n: the Gaussian residue that is r under i -> iota and 1/r under i -> -iota.
template <LimbWord W>
Gaussian<W> root_from_images(W r, W iota, const Modulus<W>& p) {
  const auto inverse = static_cast<W>(inverse_or_zero(r, p.value()));
  const auto inverse_iota = p.negate(iota);
  return {halve(p.add(r, inverse), p.value()), p.multiply(halve(p.subtract(r, inverse), p.value()), inverse_iota)};
}

/// h for p = 3 mod 4, n | p + 1: Z_p[i] is a field of p^2 elements, and one x^((p^2 - 1)/2n) in four is a root.
template <LimbWord W>
Gaussian<W> root_in_field(std::size_t degree, const Modulus<W>& p) {
  const std::uint64_t value = p.value();
  for (W a = 1;; ++a) {
    const Gaussian<W> h = power(power(Gaussian<W>{a, 1}, (value - 1) / 2, p), (value + 1) / degree, p);
    if (power(h, degree / 2, p) == Gaussian<W>{0, 1}) return h;
  }
}

}  // namespace

template <LimbWord W>
GaloisTables<W>::GaloisTables(std::size_t degree_, W modulus_)
    : degree(degree_), modulus(modulus_), root{0, 0}, imaginary_unit(0) {
  if (!is_power_of_two(degree) || degree < 4) {
    throw ParameterError(message("degree ", degree, " is not a power of two of at least 4"));
  }
  if (modulus_ < 3 || modulus_ >= max_modulus<W> || !is_prime(modulus_)) {
    throw ParameterError(message("a Galois transform in ", word_bits<W>, "-bit words needs an odd prime below ",
                                 max_modulus<W>, ", not ", modulus_));
  }
  const std::uint64_t p = modulus_;
  if (p % 4 == 1) {
    if (p % (2 * degree) != 1) {
      throw ParameterError(message("prime ", p, " is 1 mod 4, so its Galois transform of degree ", degree,
                                   " needs it to be 1 mod ", 2 * degree, ", but it is ", p % (2 * degree)));
    }
    const auto psi = static_cast<W>(minimal_primitive_root(2 * degree, p));
    imaginary_unit = modulus.power(psi, degree / 2);
    root = root_from_images(psi, imaginary_unit, modulus);
  } else {
    if ((p + 1) % degree != 0) {
      throw ParameterError(message("prime ", p, " is 3 mod 4, so its Galois transform of degree ", degree, " needs ",
                                   degree, " to divide ", p + 1));
    }
    root = root_in_field(degree, modulus);
  }
  const Gaussian<W> inverse_root = power(root, 2 * degree - 1, modulus);  // h has order 2n
  std::vector<Gaussian<W>> powers{{1, 0}}, inverse_powers{{1, 0}};
  for (std::size_t e = 1; e < degree; ++e) {
    powers.push_back(multiply(powers.back(), root, modulus));
    inverse_powers.push_back(multiply(inverse_powers.back(), inverse_root, modulus));
  }
  roots.assign(degree / 2, {1, 0});
  inverse_roots.assign(degree / 2, {1, 0});
  for (std::size_t m = 1, bits = 0; m < degree / 2; m *= 2, ++bits) {
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t exponent = degree / (4 * m) * (4 * reverse_bits(k, static_cast<unsigned>(bits)) + 1);
      roots[m + k] = powers[exponent];
      inverse_roots[m + k] = inverse_powers[exponent];
    }
  }
}

template struct GaloisTables<std::uint32_t>;
template struct GaloisTables<std::uint64_t>;

}  // namespace cyclotome
