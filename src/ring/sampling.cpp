// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/sampling.hpp"

#include <cerrno>
#include <cstring>
#include <sys/random.h>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome {

Seed::~Seed() { secure_zero(bytes_.data(), bytes_.size()); }

Seed Seed::from_system() {
  Seed seed;
  std::size_t filled = 0;
  while (filled < seed.bytes_.size()) {
    const ssize_t got = ::getrandom(seed.bytes_.data() + filled, seed.bytes_.size() - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw EngineError(message("the operating system gave no randomness (getrandom: ", std::strerror(errno),
                                "); nothing was encrypted"));
    }
    filled += static_cast<std::size_t>(got);
  }
  return seed;
}

std::array<std::uint32_t, 8> Seed::words() const noexcept {
  std::array<std::uint32_t, 8> words{};
  for (std::size_t i = 0; i < 32; ++i) words[i / 4] |= static_cast<std::uint32_t>(bytes_[i]) << (8 * (i % 4));
  return words;
}

}  // namespace cyclotome
