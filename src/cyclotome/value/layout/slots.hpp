// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Values moved into slots or out of them, and rotations of slots. They throw what elementwise.hpp says.
namespace cyclotome::value {

/// A replicated array with its last axis moved into slots: a plaintext product for each value. A packed one as it is.
EncryptedArray packed(const EncryptedArray& x, const Options& options = {});
/// The last axis of a packed array filled up with zeros to whole ciphertexts, a multiple of n.
EncryptedArray padded(const EncryptedArray& x, const Options& options = {});

/// Every ciphertext's slots, two rows of n/2, both moved to the left by `steps` (to the right if negative). The last
/// axis must fill its ciphertexts (ArgumentError), see `padded`.
EncryptedArray rotate_rows(const EncryptedArray& x, std::int64_t steps, const Options& options = {});
/// Several rotations along a new first axis, which share what they can (hoisting).
EncryptedArray rotate_rows(const EncryptedArray& x, std::span<const std::int64_t> steps, const Options& options = {});
/// The two rows swapped.
EncryptedArray rotate_columns(const EncryptedArray& x, const Options& options = {});

/// Throws UnsupportedError for values in coefficients.
void require_slots(const char* operation, const Layout& layout);

/// A packed array with nothing but zeros beside its values, by a product with a mask where it takes one.
Placed cleaned(const Placed& x, const Options& options);
/// A packed array whose last axis has length 1, with its values in all slots: the same shape, replicated.
Placed spread(const Placed& x, const Keyring& keys, const Options& options);
/// A replicated array with its last axis in slots: value i times the unit vector e_i, added up.
Placed gathered(const Placed& x, const Options& options);

}  // namespace cyclotome::value
