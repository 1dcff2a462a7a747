// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/parameters_io.hpp"

namespace cyclotome::io {

Bytes serialize(const rlwe::Parameters& parameters, std::span<const std::uint8_t> metadata) {
  return ContainerWriter(Kind::parameters, parameters, {}, metadata).finish();
}

}  // namespace cyclotome::io
