// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// The order of values along an axis that numbers ciphertexts, in all slots at once, by ranks (Cetin, Doroz, Sunar,
// Savas, 2015; specification 2.4): every pair is compared once, the rank of a value is how many come before it, and a
// result is the sum of all values, each times whether its rank is that one. Equal values stay in their order.
//
// `axis` may be negative, counted from the end; the one that lies within ciphertexts is an UnsupportedError. At most 64
// values along it (ArgumentError). Other errors are those of comparisons.hpp.
namespace cyclotome::value {

/// Numbers of several digits along the first axis, as less_digits takes them, have `digits`; axis counts without it.
struct Order {
  /// Along which axis.
  std::int64_t axis = 0;
  /// Whether the largest comes first.
  bool descending = false;
  std::size_t kept = 0;  ///< only the first so many; 0: all
  /// Whether the first axis holds digits.
  bool digits = false;
};

/// For the first `kept` places and each value whether it stands there: an axis of places before that of values.
EncryptedArray places(const EncryptedArray& x, const Order& order, const Options& options = {});
/// The values in their order.
EncryptedArray sorted(const EncryptedArray& x, const Order& order, const Options& options = {});
/// The place of the largest value, of equal ones the first (descending; else of the smallest).
EncryptedArray first_place(const EncryptedArray& x, const Order& order, const Options& options = {});

}  // namespace cyclotome::value
