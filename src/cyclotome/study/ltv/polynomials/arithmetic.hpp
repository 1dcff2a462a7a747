// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/study/ltv/polynomials/carrier_transform.hpp"
#include "cyclotome/study/ltv/polynomials/crt_basis.hpp"
#include "cyclotome/study/ltv/polynomials/cyclotomic_polynomial.hpp"
#include "cyclotome/study/ltv/polynomials/polynomial.hpp"

namespace cyclotome::study::ltv {

class Arithmetic;
using ArithmeticPtr = std::shared_ptr<const Arithmetic>;

/// Paper 002's arithmetic of polynomials modulo Phi_m and q_i: three domains, products through transforms modulo
/// P = 2^64 - 2^32 + 1 of at least 2n points, Barrett's reduction of polynomials. Immutable; one thread a call.
///
/// Products are exact because no integer reaches P: n (p - 1)^2 < P is checked here, and every sum of products knows
/// what it may reach (`Polynomial::largest`).
class Arithmetic {
 public:
  /// Throws ParameterError where n (p - 1)^2 >= P for the largest prime, and as CyclotomicPolynomial and CrtBasis do.
  static ArithmeticPtr create(std::uint64_t m, const std::vector<std::uint64_t>& primes);

  const CyclotomicPolynomial& ring() const noexcept { return ring_; }
  const CrtBasis& basis() const noexcept { return basis_; }
  const CarrierTransform& transform() const noexcept { return transform_; }
  std::size_t degree() const noexcept { return ring_.degree(); }
  std::size_t points() const noexcept { return transform_.points(); }
  /// How many primes there are: d.
  std::size_t primes() const noexcept { return basis_.size(); }

  /// RAW from n coefficients of `words(primes)` words each, row by row, which must be below q (RangeError).
  Polynomial raw(std::span<const std::uint32_t> words, std::size_t primes) const;
  /// CRT of small signed integers, |x| < every prime; n of them.
  Polynomial of_small(std::span<const std::int64_t> values, std::size_t primes) const;
  /// RAW -> CRT, and back. Both throw ArgumentError for another domain.
  Polynomial crt(const Polynomial& a) const;
  Polynomial icrt(const Polynomial& a) const;
  /// CRT -> NTT, of n coefficients; and back: 2n - 1 coefficients, each modulo its prime (erratum 002-9).
  Polynomial ntt(const Polynomial& a) const;
  Polynomial intt(const Polynomial& a) const;
  /// Digit `number` of a RAW polynomial's coefficients in base 2^window, as one shared transform.
  Polynomial digit_ntt(const Polynomial& a, unsigned number, unsigned window) const;

  /// CRT domain, coefficient by coefficient: ADD and its kin. Equal numbers of primes (MismatchError) and coefficients.
  Polynomial add(const Polynomial& a, const Polynomial& b) const;
  Polynomial subtract(const Polynomial& a, const Polynomial& b) const;
  Polynomial scale(const Polynomial& a, std::uint64_t factor) const;
  /// In NTT: DOTMUL, and MULADD, sum += a b. b may have more primes than a, as keys of level 0 do (else
  /// MismatchError). Where an integer could reach P: ArgumentError, naming the bound.
  Polynomial dot(const Polynomial& a, const Polynomial& b) const;
  void multiply_add(Polynomial& sum, const Polynomial& a, const Polynomial& b) const;
  /// Nothing yet, for sums.
  Polynomial ntt_zero(std::size_t primes) const;

  /// Algorithm 3: f modulo Phi_m, f of n to 2n - 1 coefficients in the CRT domain. The quotient is exact, and no
  /// correction follows (erratum 002-8).
  Polynomial barrett(const Polynomial& f) const;
  /// What `barrett` gives, without transforms: by sums and differences of coefficients, as Phi_m is a product of
  /// (x^d - 1)^+-1.
  Polynomial reduced(const Polynomial& f) const;
  /// Algorithm 2: CRT domain in and out.
  Polynomial multiply(const Polynomial& a, const Polynomial& b) const;
  /// The same of factors in NTT.
  Polynomial multiply_transformed(const Polynomial& a, const Polynomial& b) const;
  /// b with a b = 1 modulo Phi_m and all primes of a. Throws ArgumentError where there is none, naming the prime.
  Polynomial inverse(const Polynomial& a) const;
  /// a(x^k), k prime to m; CRT domain, n coefficients. Throws ArgumentError for another k.
  Polynomial automorphism(const Polynomial& a, std::uint64_t k) const;

  /// CRT domain: modulo fewer primes, as keys and fresh ciphertexts move to later levels. Values stay as they are.
  Polynomial restricted(const Polynomial& a, std::size_t primes) const;
  /// Algorithm 4 with errata 002-1 and 002-2: divided by the last prime, modulo the others, and the same modulo 2.
  Polynomial switched(const Polynomial& a) const;

  /// What is kept for Barrett: Phi_m as residues, and the transforms of Phi_m and of floor(x^(2n-1)/Phi_m).
  struct Bytes {
    std::size_t modulus, modulus_ntt, reciprocal_ntt, twiddles;
  };
  Bytes bytes() const noexcept;
  const Polynomial& modulus_transform() const noexcept { return modulus_ntt_; }
  const Polynomial& reciprocal_transform() const noexcept { return reciprocal_ntt_; }

 private:
  Arithmetic(std::uint64_t m, const std::vector<std::uint64_t>& primes);
  void require(const Polynomial& a, Domain domain, const char* operation) const;
  void require_like(const Polynomial& a, const Polynomial& b, const char* operation) const;
  Polynomial empty(Domain domain, std::size_t primes, std::size_t length) const;
  /// NTT of rows of a CRT polynomial's coefficients [first, first + count).
  Polynomial ntt_of(const Polynomial& a, std::size_t first, std::size_t count) const;
  std::uint64_t largest_product(const Polynomial& a, const Polynomial& b, std::uint64_t sum) const;

  CyclotomicPolynomial ring_;
  CrtBasis basis_;
  CarrierTransform transform_;
  Polynomial modulus_, modulus_ntt_, reciprocal_ntt_;  // n + 1 coefficients; n
};

}  // namespace cyclotome::study::ltv
