// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/bootstrapping/parameters.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/encapsulation/sparse_secrets.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"

namespace cyclotome::bfv {

namespace {

/// Widths of primes. The first ciphertext prime and a special one are what the sparse secret's key is over.
struct Widths {
  std::uint64_t plain_modulus;
  unsigned first_bits, bits;
  std::size_t primes, special_primes;
};

/// q_0 of 50 and 59 bits leave 2^-3 of the digit's unit to the noise; the rest is what the security table grants.
constexpr Widths narrow{65537, 50, 57, 12, 2}, wide{786433, 59, 60, 20, 8};

}  // namespace

rlwe::Parameters bootstrappable_parameters(std::size_t degree, bool allow_insecure) {
  if (!is_power_of_two(degree) || degree < rlwe::least_sparse_degree || degree > 65536) {
    throw ParameterError(message("no parameters of degree ", degree,
                                 " can be refreshed: take 32768, or 65536 for wider ",
                                 "values and more products; for tests powers of two from ", rlwe::least_sparse_degree,
                                 " on, with allow_insecure"));
  }
  if (degree < 32768 && !allow_insecure) {
    throw SecurityError(message("parameters of degree ", degree, " that can be refreshed are far below 128 bits of ",
                                "security; take 32768 or 65536, or say allow_insecure=True for tests"));
  }
  const Widths& widths = degree == 65536 ? wide : narrow;
  constexpr unsigned special_bits = 60;
  rlwe::ParametersLiteral literal;
  literal.scheme = &scheme();
  literal.degree = degree;
  literal.plain_moduli = {widths.plain_modulus};
  const std::uint64_t step = literal.ring()->transform_step();
  literal.moduli = primes_congruent_to_one(widths.first_bits, step, 1);
  for (const std::uint64_t q : primes_congruent_to_one(widths.bits, step, widths.primes)) {
    literal.moduli.push_back(q);
  }
  literal.special_moduli = primes_congruent_to_one(special_bits, step, widths.special_primes, literal.moduli);
  literal.allow_insecure = allow_insecure;
  if (degree < 32768) literal.security = 0;
  return rlwe::Parameters(literal);
}

}  // namespace cyclotome::bfv
