// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cyclotome/math/sha256.hpp"
#include "cyclotome/study/prime_search.hpp"

namespace cyclotome::study {

/// A prime p = 2N r + 1 of a context with r an odd prime, and what follows from it.
struct ContextPrime {
  BigUnsigned prime;        ///< p
  BigUnsigned cofactor;     ///< r
  BigUnsigned generator;    ///< of the units modulo p
  BigUnsigned root;         ///< phi = generator^r, of order exactly 2N (erratum 004-8)
  BigUnsigned coefficient;  ///< b = (q/p) ((q/p)^-1 mod p), which is 1 modulo p and 0 modulo the other primes
};

/// What to generate a context from (paper 004, figure 5.2).
struct ContextRequest {
  std::size_t degree = 0;            ///< N, a power of two in [2, 2^17]
  unsigned modulus_bits = 0;         ///< the least bit length of q
  unsigned smallest_prime_bits = 0;  ///< of p_0, which makes up what the others leave
  unsigned largest_prime_bits = 0;   ///< of the other primes
  Search search = Search::below;
};

/// What products in Z_q[x]/(x^N + 1) need, q = p_0 ... p_(r-1): paper 004's "context of the ciphertext" (4.6, 5.1).
/// Immutable; every object has passed the checks of the constructor.
class ProductContext {
 public:
  static constexpr std::size_t max_degree = std::size_t{1} << 17;
  static constexpr std::size_t max_primes = 256;
  static constexpr unsigned max_bits = 16384;  ///< of q

  /// Throws ParameterError unless the degree is a power of two in [2, max_degree]; there are 1 to max_primes different
  /// primes of at most max_modulus_bits bits, with a product of at most max_bits; each is 1 modulo 2N with a prime
  /// cofactor; and each generator has full order, which proves the primes (paper 004's own checks of exported data:
  /// orders, coprimality and products).
  ProductContext(std::size_t degree, const std::vector<BigUnsigned>& primes,
                 const std::vector<BigUnsigned>& generators);

  /// The context of as few primes as reach the bits of q: all of the largest length but p_0. (Figure 5.2 as printed
  /// starts p_0 at max(32, bits of q - (primes - 1) * smallest length + 1) bits, above the largest for its own tables.)
  /// The same request gives the same context. Throws ParameterError for lengths out of order or too few primes.
  static ProductContext generate(const ContextRequest& request);

  /// A prime of each of these lengths, different ones, with generators.
  static ProductContext of_lengths(std::size_t degree, const std::vector<unsigned>& lengths, Search search);

  std::size_t degree() const noexcept { return degree_; }
  const std::vector<ContextPrime>& primes() const noexcept { return primes_; }
  /// q.
  const BigUnsigned& modulus() const noexcept { return modulus_; }
  /// q / p_i, and its inverse modulo p_i.
  const BigUnsigned& complement(std::size_t index) const noexcept { return complements_[index]; }
  const BigUnsigned& complement_inverse(std::size_t index) const noexcept { return inverses_[index]; }
  /// The number modulo q with these residues: equation 4.5, reduced modulo q (erratum 004-4). residues[i] < p_i.
  BigUnsigned lift(const std::vector<BigUnsigned>& residues) const;
  /// phi modulo q, a root of x^N + 1 modulo every p_i; omega is its square.
  BigUnsigned root() const;
  /// phi^-1 and N^-1 modulo q.
  BigUnsigned inverse_root() const;
  BigUnsigned inverse_degree() const;
  /// SHA-256 over degree, primes and generators.
  Digest fingerprint() const;

 private:
  std::size_t degree_;
  std::vector<ContextPrime> primes_;
  std::vector<BigUnsigned> complements_;  // q / p_i
  std::vector<BigUnsigned> inverses_;     // (q / p_i)^-1 mod p_i
  BigUnsigned modulus_;
};

/// p - 1 = 2N r, for `find_generator` and `is_generator`.
std::vector<PrimePower> factors_of(std::size_t degree, const BigUnsigned& cofactor);

}  // namespace cyclotome::study
