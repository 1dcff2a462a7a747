// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// What products, automorphisms and packing of polynomials are made of (polynomials.hpp).
namespace cyclotome::value {

/// Throws ArgumentError for products that were not relinearised.
void require_two_parts(const char* operation, const EncryptedArray& x);

/// How many parts ciphertexts may have: automorphisms and products of ciphertexts take two.
enum class MostParts : std::uint8_t { two = 2, three = 3 };

/// Throws UnsupportedError unless the array lies in coefficients, ArgumentError unless each row is one polynomial of at
/// most n of them, with zeros behind, in ciphertexts of few enough parts.
void require_polynomials(const char* operation, const EncryptedArray& x, MostParts parts = MostParts::two);

/// Every ciphertext times x^exponent, exponent in (-n, n).
Channels times_power(const Channels& a, std::int64_t exponent, const Options& options);

/// a - b, of equal batches or 1.
Channels subtracted(const Channels& a, const Channels& b);
/// Ciphertexts `start` to `stop` - 1 of the batch.
Channels batch_slice(const Channels& a, std::size_t start, std::size_t stop);

}  // namespace cyclotome::value
