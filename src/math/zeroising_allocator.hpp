// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>

#include "cyclotome/math/secure_memory.hpp"

namespace cyclotome {

/// Memory that is zeroised before it is freed, when a vector grows too.
template <class T>
struct ZeroisingAllocator {
  using value_type = T;

  ZeroisingAllocator() = default;
  template <class Other>
  ZeroisingAllocator(const ZeroisingAllocator<Other>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* data, std::size_t count) noexcept {
    secure_zero(data, count * sizeof(T));
    std::allocator<T>().deallocate(data, count);
  }
  template <class Other>
  bool operator==(const ZeroisingAllocator<Other>&) const noexcept {
    return true;
  }
};

}  // namespace cyclotome
