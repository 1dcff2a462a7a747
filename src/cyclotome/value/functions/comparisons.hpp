// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Comparisons value by value: 1 where they hold, else 0. A polynomial of the difference, over the values that the
// operands' bounds leave it: the tighter they are stated, the fewer products it takes and the less deep they are.
// Errors are those of functions.hpp.
namespace cyclotome::value {

/// Whether x is 0. By a polynomial over x's values, or as 1 - x^(t - 1) modulo the prime t (Fermat), the only way for
/// values that wrap around: whichever takes fewer products, of those that the noise left to x carries.
EncryptedArray is_zero(const EncryptedArray& x, const Options& options = {});
/// Whether x is below 0.
EncryptedArray is_negative(const EncryptedArray& x, const Options& options = {});

/// x - y, bounded by what either can be where both are known not to be negative.
EncryptedArray equal(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});
EncryptedArray equal(const EncryptedArray& x, const Integers& y, const Options& options = {});
/// Whether x < y.
EncryptedArray less(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});
EncryptedArray less(const EncryptedArray& x, const Integers& y, const Options& options = {});
EncryptedArray less(const Integers& x, const EncryptedArray& y, const Options& options = {});

/// The larger of both: y + (x - y) (y < x).
EncryptedArray maximum(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});
EncryptedArray maximum(const EncryptedArray& x, const Integers& y, const Options& options = {});
/// The smaller of both.
EncryptedArray minimum(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});
EncryptedArray minimum(const EncryptedArray& x, const Integers& y, const Options& options = {});

/// x < y and x = y, whose powers are computed once.
struct Compared {
  /// 1 where it holds, else 0.
  EncryptedArray less, equal;
};
/// Both comparisons at once.
Compared compare(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});

// Numbers of several digits in base b, the axes behind that of the digits broadcast; ArgumentError unless both have as
// many digits. Along the first axis, the least significant first, each from 0 to b - 1 by its
// bound (Bound::starts_at_zero; ArgumentError otherwise). Digit by digit, and put together two by two: no value is
// larger than a digit.
/// Whether all digits are equal.
EncryptedArray equal_digits(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});
/// Whether the number x is below y.
EncryptedArray less_digits(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});

}  // namespace cyclotome::value
