// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// Values of x in a new shape, in any order: value i is value `numbers[i]` of x, counted in C order. Of replicated
/// arrays and whole rows of packed ones these are the same ciphertexts in another order. Values that move between slots
/// take a rotation and a product with a mask for each way that values of one row go to another, fewer where ways are
/// alike; a beginning of rows takes nothing, a part in one row of slots one rotation. The result is packed if x is and
/// its last axis has more than one value, else replicated.
///
/// Throws ArgumentError for numbers that x does not have or a shape of another count; UnsupportedError for values in
/// coefficients, or slots that are no two rows of integers; MissingKeyError; NoiseError.
EncryptedArray rearranged(const EncryptedArray& x, const Indices& numbers, const Shape& shape,
                          const Options& options = {});

}  // namespace cyclotome::value
