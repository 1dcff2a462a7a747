// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Polynomials, powers, tables and selections, value by value. Results are exact or refused, by the bounds of operands.
// They throw what elementwise.hpp says; UnsupportedError for values in coefficients and for elements of GF(2^r), which
// only `power` takes; RangeError where a plaintext modulus does not tell the values of an operand apart.
namespace cyclotome::value {

/// x^exponent for any exponent from 0 on, in ceil(log2 exponent) products one after the other and at most twice as many
/// in all. Exponents that change nothing are left out: of values within 1, elements of a field, and what wraps around
/// modulo a prime. Throws RangeError before work starts.
EncryptedArray power(const EncryptedArray& x, std::int64_t exponent, const Options& options = {});

/// The polynomial with these coefficients, that of the highest power first, as numpy.polyval: Paterson-Stockmeyer,
/// with as few products as that takes, and of those ways the least deep. Its bound is the largest value that it has
/// within x's bound, where those values are few, else what coefficients and bound allow. Throws ArgumentError unless
/// coefficients are a row of at least one.
EncryptedArray polyval(const Integers& coefficients, const EncryptedArray& x, const Options& options = {});

/// table[x], value by value: from x = 0 on, and as NumPy has it also with negative numbers from its end; of x that are
/// known not to be negative (Bound::starts_at_zero) only the former, which takes a polynomial of half the degree.
/// Throws RangeError if the bound of x goes beyond the table.
EncryptedArray lookup(const Integers& table, const EncryptedArray& x, const Options& options = {});

/// a where mask is 1, b where it is 0: b + mask (a - b). A mask that is 0 or 1 by its bound gives the bound of both
/// together.
EncryptedArray where(const EncryptedArray& mask, const EncryptedArray& a, const EncryptedArray& b,
                     const Options& options = {});
EncryptedArray where(const EncryptedArray& mask, const EncryptedArray& a, const Integers& b,
                     const Options& options = {});
EncryptedArray where(const EncryptedArray& mask, const Integers& a, const EncryptedArray& b,
                     const Options& options = {});
EncryptedArray where(const EncryptedArray& mask, const Integers& a, const Integers& b, const Options& options = {});

}  // namespace cyclotome::value
