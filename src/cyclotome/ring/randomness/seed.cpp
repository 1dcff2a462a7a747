// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/randomness/seed.hpp"

#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/platform/randomness.hpp"

namespace cyclotome {

Seed::Seed(Seed&& other) noexcept : bytes_(other.bytes_), spent_(std::exchange(other.spent_, true)) {
  secure_zero(other.bytes_.data(), other.bytes_.size());
}

Seed& Seed::operator=(Seed&& other) noexcept {
  if (this == &other) return *this;
  bytes_ = other.bytes_;
  spent_ = std::exchange(other.spent_, true);
  secure_zero(other.bytes_.data(), other.bytes_.size());
  return *this;
}

Seed::~Seed() { secure_zero(bytes_.data(), bytes_.size()); }

Seed Seed::from_system() {
  Seed seed(std::array<std::uint8_t, 32>{});
  if (const std::string refusal = platform::fill_with_randomness(seed.bytes_); !refusal.empty()) {
    throw EngineError(message("the operating system gave no randomness (", refusal, "); nothing was encrypted"));
  }
  return seed;
}

const std::array<std::uint8_t, 32>& Seed::bytes() const {
  if (spent_) {
    throw ArgumentError(
        "this seed was used already, and what a second use would make could tell secrets of the first; draw another "
        "with Seed::from_system()");
  }
  return bytes_;
}

std::array<std::uint32_t, 8> Seed::words() const {
  std::array<std::uint32_t, 8> words{};
  for (std::size_t i = 0; i < 32; ++i) words[i / 4] |= static_cast<std::uint32_t>(bytes()[i]) << (8 * (i % 4));
  return words;
}

}  // namespace cyclotome
