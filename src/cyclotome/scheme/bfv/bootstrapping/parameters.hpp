// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/parameters/parameters.hpp"

namespace cyclotome::bfv {

/// Parameters whose ciphertexts can be refreshed (bootstrapping.hpp), of 128 bits of classical security: degree 32768
/// with values modulo 65537, or 65536 with values modulo 786433. Smaller degrees from 256 on are below 128 bits and for
/// tests: SecurityError unless allow_insecure. Throws ParameterError for other degrees.
rlwe::Parameters bootstrappable_parameters(std::size_t degree, bool allow_insecure = false);

}  // namespace cyclotome::bfv
