// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// What arrays of bits and of elements of GF(2^r) have beside sums and products: slots modulo 2 over Phi_m are a box of
// several dimensions (ring/tables/field_slots.hpp), and x -> x^2 squares each. UnsupportedError for other parameters;
// otherwise they throw what elementwise.hpp says.
namespace cyclotome::value {

/// Every ciphertext's box of slots rolled along one dimension (negative: counted from the end) by `steps` to the left;
/// to the right if negative. The last axis must fill its ciphertexts (ArgumentError), see `padded`. A dimension that is
/// not cyclic costs two rotations and two products with masks.
EncryptedArray roll(const EncryptedArray& x, std::int64_t dimension, std::int64_t steps, const Options& options = {});
/// x^(2^power), element by element; powers may be negative. Bits stay what they are.
EncryptedArray frobenius(const EncryptedArray& x, std::int64_t power = 1, const Options& options = {});
/// x + x^2 + x^4 + ... + x^(2^(r-1)), element by element: bits.
EncryptedArray trace(const EncryptedArray& x, const Options& options = {});

}  // namespace cyclotome::value
