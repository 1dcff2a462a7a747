// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"

namespace cyclotome::io {

/// A container of parameters alone. Read them back with Container(bytes, limits).parameters(), which works for every
/// kind. Throws ArgumentError for metadata or a name that can't be stored.
Bytes serialize(const rlwe::Parameters& parameters, std::span<const std::uint8_t> metadata = {});

}  // namespace cyclotome::io
