// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "cyclotome/platform/randomness.hpp"

// The second takes its types from the first.
// clang-format off
#include <windows.h>
#include <bcrypt.h>
// clang-format on

namespace cyclotome::platform {

std::string fill_with_randomness(std::span<std::uint8_t> bytes) {
  const NTSTATUS status =
      ::BCryptGenRandom(nullptr, bytes.data(), static_cast<ULONG>(bytes.size()), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  return status >= 0 ? std::string() : "BCryptGenRandom: status " + std::to_string(status);
}

}  // namespace cyclotome::platform

#endif
