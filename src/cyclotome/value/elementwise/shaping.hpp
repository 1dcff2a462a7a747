// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Which ciphertexts an array consists of: selecting, reshaping and joining. No ciphertext changes, so noise stays.
namespace cyclotome::value {

/// Another shape of as many values (ArgumentError); the axis that lies within ciphertexts stays as long as it is
/// (UnsupportedError).
EncryptedArray reshape(const EncryptedArray& x, const Shape& shape);

/// Item `index` along the first axis; negative ones count from the end. Throws UnsupportedError for the axis that lies
/// within ciphertexts.
EncryptedArray item(const EncryptedArray& x, std::int64_t index);
/// Items start to stop - 1 along the first axis. Throws ArgumentError if there are none.
EncryptedArray slice(const EncryptedArray& x, std::size_t start, std::size_t stop);
/// What stands at `numbers` of the axes before a packed one (of all axes, if replicated), counted in C order, in a new
/// outer shape: any selection, repetition or transposition of them.
EncryptedArray select(const EncryptedArray& x, const Indices& numbers, const Shape& outer);

/// Arrays one after the other along an axis, which must not lie within ciphertexts (UnsupportedError). At least one;
/// shapes equal but for that axis, placements equal (ArgumentError).
EncryptedArray concatenate(std::span<const EncryptedArray> arrays, std::int64_t axis = 0, const Options& options = {});
/// Arrays of one shape along a new axis.
EncryptedArray stack(std::span<const EncryptedArray> arrays, std::int64_t axis = 0, const Options& options = {});

/// Of values `numbers` of x, counted in C order, in new rows of `last`. Precondition: whole rows.
Bound rearranged_bound(const EncryptedArray& x, const Indices& numbers, std::size_t last);

/// Ciphertexts of arrays whose shapes and placements fit, joined along axis number `axis` of those before a packed one.
Placed joined(const std::vector<Placed>& parts, std::size_t axis);

}  // namespace cyclotome::value
