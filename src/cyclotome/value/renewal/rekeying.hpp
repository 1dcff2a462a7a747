// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"
#include "cyclotome/value/arrays/options.hpp"

// The same values in other ciphertexts: under another secret key, or hidden anew.
namespace cyclotome::value {

/// x under the secret key that `key` leads to, without keys, for those of the other secret; the noise of one key switch
/// is added. Products that were not relinearised are first. Throws MismatchError for a key that leads from elsewhere or
/// has other parameters, and NoiseError.
EncryptedArray rekey(const EncryptedArray& x, const rlwe::RekeyingKey& key, const Options& options = {});

/// x with fresh encryptions of zero added, so that nobody without the secret key can match the ciphertexts with those
/// before. Its holder still sees the noise, which tells of what was computed; flooding (`reveal`) is for that. Throws
/// MismatchError for another secret's public key, and NoiseError.
EncryptedArray rerandomize(const EncryptedArray& x, const rlwe::PublicKey& key, const Options& options = {});

}  // namespace cyclotome::value
