// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// Whether there are `length` values of that interval whose magnitudes add up to `row` at most.
bool are_possible(const Interval& values, std::size_t length, const BigUnsigned& row);

/// The same array with a tighter bound that its owner knows to hold: the largest magnitude of a value, or the interval
/// that values lie in, and perhaps the largest sum of magnitudes along the last axis. Nothing can check it while values
/// are encrypted: a promise as that of whoever encrypts, which decryption holds values to where the array itself is
/// decrypted. A looser one than there is changes nothing. Throws RangeError for a bound that the parameters don't hold,
/// or that no values have, by themselves or as well as the one that there is; ArgumentError for an interval whose least
/// comes last, and UnsupportedError for bits and elements of a field.
EncryptedArray assume_bound(const EncryptedArray& x, const BigUnsigned& largest,
                            const std::optional<BigUnsigned>& row = std::nullopt);
EncryptedArray assume_bound(const EncryptedArray& x, const Interval& values,
                            const std::optional<BigUnsigned>& row = std::nullopt);

}  // namespace cyclotome::value
