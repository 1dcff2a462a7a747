// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cyclotome::platform {

/// Fills the bytes from the system's generator for keys. Returns an empty text, or which function refused and why; the
/// bytes are not to be used then. Waits while a system that has just started gathers its first randomness.
std::string fill_with_randomness(std::span<std::uint8_t> bytes);

}  // namespace cyclotome::platform
