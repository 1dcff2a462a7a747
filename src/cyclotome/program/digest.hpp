// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cyclotome {

class BaseConversion;

namespace program {

/// FNV-1a of numbers: one number that stands for constants of a program, the same for equal ones.
class Digest {
 public:
  void add(std::uint64_t number) noexcept {
    for (int byte = 0; byte < 8; ++byte, number >>= 8) hash_ = (hash_ ^ (number & 0xff)) * 0x100000001b3;
  }
  void add(const std::vector<std::uint64_t>& numbers) noexcept {
    for (const auto number : numbers) add(number);
  }
  std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// Of its bases, its lift and its factors: conversions of one digest compute the same.
Digest digest_of(const BaseConversion& conversion);

}  // namespace program
}  // namespace cyclotome
