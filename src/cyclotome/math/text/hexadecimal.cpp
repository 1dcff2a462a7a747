// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/text/hexadecimal.hpp"

namespace cyclotome {

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace cyclotome
