// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Sums and products value by value. Shapes broadcast as in NumPy. All throw RangeError where values could wrap around,
// NoiseError where the result could not be decrypted, ArgumentError for shapes and encodings that don't fit together,
// UnsupportedError for what values in coefficients can't do, MismatchError for other keys, parameters or engines,
// MissingKeyError, and TransparentError for results that hide nothing (x - x) without a public key at hand.
namespace cyclotome::value {

/// -x.
EncryptedArray negate(const EncryptedArray& x);
/// x + y.
EncryptedArray add(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});
/// x - y.
EncryptedArray subtract(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});
/// Takes evaluation keys (MissingKeyError). The product keeps three parts until something else than a sum wants two
/// (Waiting), unless the options say otherwise.
EncryptedArray multiply(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});

/// With public integers. A product takes the cheapest way: a scalar, a factor for each row, or vectors in slots.
EncryptedArray add(const EncryptedArray& x, const Integers& w, const Options& options = {});
/// x - w with public integers.
EncryptedArray subtract(const EncryptedArray& x, const Integers& w, const Options& options = {});
EncryptedArray subtract(const Integers& w, const EncryptedArray& x, const Options& options = {});
/// x w with public integers: the cheapest way.
EncryptedArray multiply(const EncryptedArray& x, const Integers& w, const Options& options = {});

/// How a result's bound follows from those of two operands.
using BoundRule = Bound (*)(const char*, const Bound&, const Bound&, std::size_t);
/// What the rule says of values broadcast together; RangeError if they don't fit. Of x and public integers likewise.
Bound bound_together(const char* operation, BoundRule rule, const EncryptedArray& x, const EncryptedArray& y);
Bound bound_with(const char* operation, BoundRule rule, const EncryptedArray& x, const Integers& w);
/// The same where it is known what bound_of(w, w.length()) is, which takes a walk over all values.
Bound bound_with(const char* operation, BoundRule rule, const EncryptedArray& x, const Integers& w, const Bound& of_w);

/// The products x y of two arrays, 3 parts, not relinearised, without a bound: for sums of products, which relinearise
/// once.
Placed multiply_lazily(const EncryptedArray& x, const EncryptedArray& y, const Options& options);
/// x w for public integers that differ along the last axis.
Placed multiply_rows(const Placed& x, const Keyring& keys, const Integers& w, const Options& options);

}  // namespace cyclotome::value
