// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/reals/real_array.hpp"

// Arithmetic of arrays of reals, with NumPy's rules for shapes. Products take one level, but those by whole numbers;
// sums take none. All throw ArgumentError for shapes that don't fit, RangeError, NoiseError where no level is left, and
// MissingKeyError for keys that are not attached.
namespace cyclotome::value {

RealArray negate(const RealArray& x);                        ///< x with its sign turned: no level.
RealArray add(const RealArray& x, const RealArray& y);       ///< Sums.
RealArray subtract(const RealArray& x, const RealArray& y);  ///< Differences.
RealArray multiply(const RealArray& x, const RealArray& y);  ///< Products: one level.
RealArray add(const RealArray& x, const Reals& w);           ///< Sums.
RealArray subtract(const RealArray& x, const Reals& w);      ///< Differences.
RealArray multiply(const RealArray& x, const Reals& w);      ///< Products.
/// exponent from 1 on: ceil(log2(exponent)) levels.
RealArray power(const RealArray& x, std::int64_t exponent);
/// The complex conjugates; of real numbers x itself.
RealArray conjugate(const RealArray& x);

/// Operators of the same meaning.
inline RealArray operator-(const RealArray& x) { return negate(x); }                           ///< likewise
inline RealArray operator+(const RealArray& x, const RealArray& y) { return add(x, y); }       ///< likewise
inline RealArray operator-(const RealArray& x, const RealArray& y) { return subtract(x, y); }  ///< likewise
inline RealArray operator*(const RealArray& x, const RealArray& y) { return multiply(x, y); }  ///< likewise
inline RealArray operator+(const RealArray& x, const Reals& w) { return add(x, w); }           ///< likewise
inline RealArray operator-(const RealArray& x, const Reals& w) { return subtract(x, w); }      ///< likewise
inline RealArray operator*(const RealArray& x, const Reals& w) { return multiply(x, w); }      ///< likewise

/// Over these axes. Along the last one log2 of its length rotations, and the result is replicated.
RealArray sum(const RealArray& x, std::span<const std::int64_t> axes, bool keepdims);
/// Ciphertexts by number, in a shape whose axes but the last number them: what indexing of the first axes is.
RealArray select(const RealArray& x, const Indices& numbers, const Shape& outer);

/// Replicated values, one after the other along their last axis, packed into slots; packed ones as they are.
RealArray packed_reals(const char* operation, const RealArray& x);
/// With zeros in the slots that hold none of its numbers.
RealArray cleaned(const char* operation, const RealArray& x);

}  // namespace cyclotome::value
