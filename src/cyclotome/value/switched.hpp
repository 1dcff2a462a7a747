// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/encrypted_array.hpp"

namespace cyclotome::value {

/// As `finished`, of products of ciphertexts and of turned ones, whose keys were switched. They hide what their
/// operands hid: no residue is looked at, and so no device waited for.
EncryptedArray switched(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options);

}  // namespace cyclotome::value
