// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "cyclotome/platform/randomness.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/random.h>
#include <unistd.h>

namespace cyclotome::platform {

std::string fill_with_randomness(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
#if defined(__linux__)
    constexpr const char* source = "getrandom";
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
#else
    constexpr const char* source = "getentropy";
    const std::size_t most = std::min<std::size_t>(bytes.size(), 256);  // what one call gives
    const ssize_t got = ::getentropy(bytes.data(), most) == 0 ? static_cast<ssize_t>(most) : -1;
#endif
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::string(source) + ": " + std::strerror(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace cyclotome::platform

#endif
