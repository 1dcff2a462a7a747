// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// The values of an array, for the key's owner alone: exact, or a refusal. Ciphertexts that were not relinearised too.
/// Throws MismatchError for another key or other parameters, NoiseError where the result could be wrong, and RangeError
/// for values beyond the array's own bound, which is not what it claims to be then.
Integers decrypt(const EncryptedArray& x, const rlwe::SecretKey& key, const Options& options = {});

/// The same for others to see, with noise flooding (scheme::reveal): what the whole call gives depends on the key with
/// probability below 2^-flooding_bits. Throws ArgumentError, too, unless flooding_bits lies in [1, 128].
Integers reveal(const EncryptedArray& x, const rlwe::SecretKey& key, unsigned flooding_bits,
                const Options& options = {});

/// The exact noise budget in bits, the smallest of all ciphertexts; for the key's owner alone, not constant-time.
unsigned noise_budget(const EncryptedArray& x, const rlwe::SecretKey& key);

}  // namespace cyclotome::value
