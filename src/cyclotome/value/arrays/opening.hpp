// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// What some ciphertexts of one channel hold.
using Opening = std::function<rlwe::Plaintext(std::size_t channel, const Piece& piece)>;

/// The values of an array from what its ciphertexts hold, however these were opened. Throws RangeError for values
/// beyond the array's own bound.
Integers opened(const char* operation, const EncryptedArray& x, const Opening& opening, const Options& options);

}  // namespace cyclotome::value
