// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"
#include "cyclotome/value/arrays/options.hpp"

// Division of encrypted integers by public ones: a table of the quotients of all values that the bound leaves.
namespace cyclotome::value {

/// The quotients, rounded down, and the remainders, which have the divisor's sign, as Python has them: x is
/// divisor * quotient + remainder. One polynomial for both. Throws ArgumentError for a divisor of 0; RangeError for
/// more than most_values values, values that wrap around, and more than a plaintext modulus tells apart; and what
/// `lookup` does.
struct Divided {
  EncryptedArray quotient;   ///< rounded down
  EncryptedArray remainder;  ///< with the divisor's sign
};
/// Both, by one polynomial.
Divided divide(const EncryptedArray& x, std::int64_t divisor, const Options& options = {});
/// The quotients alone.
EncryptedArray floor_divide(const EncryptedArray& x, std::int64_t divisor, const Options& options = {});
/// The remainders alone.
EncryptedArray remainder(const EncryptedArray& x, std::int64_t divisor, const Options& options = {});

}  // namespace cyclotome::value
