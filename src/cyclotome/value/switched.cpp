// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/switched.hpp"

namespace cyclotome::value {

EncryptedArray switched(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options) {
  require_within(operation, bound, placed.parameters());
  require_decryptable(operation, placed.channels, options);
  return {std::move(placed), bound, keys};
}

}  // namespace cyclotome::value
