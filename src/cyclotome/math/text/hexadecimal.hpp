// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cyclotome {

/// Lower-case hexadecimal digits, two for each byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);

}  // namespace cyclotome
