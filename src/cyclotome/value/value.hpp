// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/assumption.hpp"
#include "cyclotome/value/arrays/decryption.hpp"
#include "cyclotome/value/arrays/encryption.hpp"
#include "cyclotome/value/arrays/plain_array.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/elementwise/inner_products.hpp"
#include "cyclotome/value/elementwise/products.hpp"
#include "cyclotome/value/elementwise/reductions.hpp"
#include "cyclotome/value/elementwise/shaping.hpp"
#include "cyclotome/value/functions/comparisons.hpp"
#include "cyclotome/value/functions/division.hpp"
#include "cyclotome/value/functions/functions.hpp"
#include "cyclotome/value/functions/ordering.hpp"
#include "cyclotome/value/layout/slots.hpp"
#include "cyclotome/value/matrices/field_rotations.hpp"
#include "cyclotome/value/matrices/rearrangement.hpp"
#include "cyclotome/value/polynomials/polynomials.hpp"
#include "cyclotome/value/renewal/refreshing.hpp"
#include "cyclotome/value/renewal/rekeying.hpp"

// Encrypted arrays of integers, all of it, and their operators. Operands are arrays and public integers:
//
//   using namespace cyclotome::value;
//   const auto x = encrypt(Integers{1, 2, 3}, key, {.bound = 100}).with_keys(evaluation);
//   const Integers y = decrypt(x * x + 3 * x, secret);  // {4, 10, 18}
//
// A result that would not fit the plaintext moduli is a RangeError, one that could not be decrypted a NoiseError.
namespace cyclotome::value {

/// As `negate`.
inline EncryptedArray operator-(const EncryptedArray& x) { return negate(x); }

/// As `add`: sums value by value.
inline EncryptedArray operator+(const EncryptedArray& x, const EncryptedArray& y) { return add(x, y); }
inline EncryptedArray operator+(const EncryptedArray& x, const Integers& w) { return add(x, w); }
inline EncryptedArray operator+(const Integers& w, const EncryptedArray& x) { return add(x, w); }

/// As `subtract`: differences value by value.
inline EncryptedArray operator-(const EncryptedArray& x, const EncryptedArray& y) { return subtract(x, y); }
inline EncryptedArray operator-(const EncryptedArray& x, const Integers& w) { return subtract(x, w); }
inline EncryptedArray operator-(const Integers& w, const EncryptedArray& x) { return subtract(w, x); }

/// As `multiply`: products value by value, relinearised.
inline EncryptedArray operator*(const EncryptedArray& x, const EncryptedArray& y) { return multiply(x, y); }
inline EncryptedArray operator*(const EncryptedArray& x, const Integers& w) { return multiply(x, w); }
inline EncryptedArray operator*(const Integers& w, const EncryptedArray& x) { return multiply(x, w); }

}  // namespace cyclotome::value
