// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Arrays in coefficients as polynomials: the last axis holds a_0, a_1, ..., at most n of them, and the axes before it
// number polynomials and broadcast as in NumPy. Any plaintext modulus will do; slots are not needed. Values and bounds
// are exact integers as everywhere: RangeError where a coefficient could wrap around modulo T, else what
// elementwise.hpp says; UnsupportedError for arrays that lie in slots or are replicated, ArgumentError for rows of more
// than n coefficients.
namespace cyclotome::value {

/// Whether a product of encrypted polynomials comes back to ciphertexts of two parts at once, or stays as it is, of
/// three: for sums of products that relinearise once, and for parameters whose key switching adds too much noise.
enum class Relinearization : bool { later, at_once };

/// x y in Z[x]/(x^n + 1): n coefficients, where x^n is -1. Coefficients are bounded by Hoelder's inequality,
/// min(|x|_1 |y|, |x| |y|_1), rows by |x|_1 |y|_1.
EncryptedArray negacyclic_product(const EncryptedArray& x, const EncryptedArray& y,
                                  Relinearization relinearization = Relinearization::at_once,
                                  const Options& options = {});
EncryptedArray negacyclic_product(const EncryptedArray& x, const Integers& w, const Options& options = {});

/// x y in Z[x], as np.convolve: a + b - 1 coefficients of a and b. ArgumentError where these are more than n and would
/// wrap around.
EncryptedArray convolve(const EncryptedArray& x, const EncryptedArray& y,
                        Relinearization relinearization = Relinearization::at_once, const Options& options = {});
EncryptedArray convolve(const EncryptedArray& x, const Integers& w, const Options& options = {});

/// An array whose ciphertexts have two parts: the same, or relinearised (MissingKeyError without that key).
EncryptedArray relinearized(const EncryptedArray& x, const Options& options = {});

/// a(x^element) of every polynomial, n coefficients; longer rows must fill their ciphertexts, each of which is turned.
/// `element` is odd (ArgumentError) and counts modulo 2n. MissingKeyError names the key that there isn't.
EncryptedArray automorphism(const EncryptedArray& x, std::int64_t element, const Options& options = {});
/// The sum of a(x^g) over all odd g modulo 2n: n a_0 of every polynomial, replicated, by log2 n automorphisms.
EncryptedArray coefficient_trace(const EncryptedArray& x, const Options& options = {});

/// Whether results that automorphisms make come multiplied by the power of two that these bring in. Without it that is
/// divided out modulo T beforehand, for which T must be odd (UnsupportedError) and which costs noise.
enum class Scaling : bool { exact, by_power_of_two };

/// Each coefficient of the polynomials as a ciphertext of its own: the same shape and values, replicated (Angel, Chen,
/// Laine and Setty 2018, Figure 3). L coefficients take l = ceil(log2 L) steps, 2^l - 1 automorphisms; the scale is
/// 2^l.
EncryptedArray expand(const EncryptedArray& x, Scaling scaling = Scaling::exact, const Options& options = {});

/// The inverse, by products with powers of x and without keys: a replicated array's last axis, of at most n values,
/// goes into coefficients.
EncryptedArray packed_in_coefficients(const EncryptedArray& x, const Options& options = {});
/// The constant terms of polynomials along the axis before the last, of k <= n polynomials, as one polynomial of n
/// coefficients: that of polynomial i at i n / K, K the power of two from k on, zeros elsewhere (Chen, Dai, Kim and
/// Song 2021, Algorithm 2). K - 1 automorphisms at most and log2(n / K) more; the scale is n.
EncryptedArray pack_constant_terms(const EncryptedArray& x, Scaling scaling = Scaling::exact,
                                   const Options& options = {});

/// The elements 3, 5, 9, ..., n + 1, whose keys traces, expansions and packing take.
std::vector<std::uint64_t> trace_elements(const rlwe::Parameters& parameters);

}  // namespace cyclotome::value
