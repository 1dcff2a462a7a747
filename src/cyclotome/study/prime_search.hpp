// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cyclotome/study/modular.hpp"

// Primes whose predecessor factors as 2N times a prime, as paper 004 (4.6) makes them: with the factorisation known, a
// generator is found at once and can be checked.
namespace cyclotome::study {

/// Whether n is prime. Below 2^78 Miller-Rabin with twelve bases decides; above, 40 bases drawn from a hash of n leave
/// a composite number a chance of 2^-80, chosen with malice or not. n of at most max_modulus_bits bits, else
/// ParameterError.
bool is_prime(const BigUnsigned& n);

/// From where primes of b bits are searched: downwards from 2^b, so that products of several have all their bits, or
/// upwards from 2^(b-1), so that p = 2^(b-1) + c with a small c, which paper 004's circuits reduce by folding.
enum class Search { below, above };

/// The first `count` primes p = order * r + 1 of exactly `bits` bits with r an odd prime, in the order of the search.
/// Throws ParameterError when bits is outside [8, max_modulus_bits], order is no power of two, or there are fewer.
std::vector<BigUnsigned> primes_with_prime_cofactor(unsigned bits, std::size_t order, std::size_t count, Search search);

/// q^e.
struct PrimePower {
  BigUnsigned prime;
  unsigned exponent;
};

/// A generator of the units modulo the prime p, given the factorisation of p - 1: paper 004, Algorithm 9 (Shoup's) as
/// corrected by erratum 004-7. For each prime q that divides p - 1 it looks for an alpha whose power
/// beta = alpha^((p-1)/q) is NOT 1 (as printed the loop goes on while beta differs from 1), and multiplies the
/// alpha^((p-1)/q^e), each of order q^e. The alphas are 2, 3, 5, 6, 7, ... and not random: the same p has the same
/// generator everywhere. Throws ParameterError when none of the first thousand does, as p or the factors are wrong.
BigUnsigned find_generator(const BigUnsigned& p, const std::vector<PrimePower>& factors);

/// Whether g generates the units modulo p: g^(p-1) = 1, and g^((p-1)/q) is not 1 for any prime q that divides p - 1
/// (erratum 004-7). If it does and the q are prime, p is prime: a proof, not a test.
bool is_generator(const BigUnsigned& g, const BigUnsigned& p, const std::vector<PrimePower>& factors);

}  // namespace cyclotome::study
