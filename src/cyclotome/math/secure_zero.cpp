// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/secure_zero.hpp"

#include <cstring>

namespace cyclotome {

void secure_zero(void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;  // an empty array may have no address
  std::memset(data, 0, bytes);
  __asm__ __volatile__("" : : "r"(data) : "memory");  // the zeros count as read
}

}  // namespace cyclotome
