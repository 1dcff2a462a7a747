// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome::io {

/// No secret is longer: a secret key's file has n/4 bytes, parameters, and up to 1 MiB of its owner's. Overwriting the
/// gigabyte that was reserved for ciphertexts would only take time.
inline constexpr std::size_t most_secret_bytes = std::size_t{4} << 20;

/// Memory that is zeroised before it is freed, when a vector grows too.
template <class T>
struct ZeroisingAllocator {
  using value_type = T;

  ZeroisingAllocator() = default;
  template <class Other>
  ZeroisingAllocator(const ZeroisingAllocator<Other>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    try {
      if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
      return std::allocator<T>().allocate(count);
    } catch (const std::bad_alloc&) {
      throw MemoryLimitError(message("a file takes ", count, " times ", sizeof(T),
                                     " bytes in memory, more than there are; work on fewer values at a time"));
    }
  }
  void deallocate(T* data, std::size_t count) noexcept {
    if (count * sizeof(T) <= most_secret_bytes) secure_zero(data, count * sizeof(T));
    std::allocator<T>().deallocate(data, count);
  }
  template <class Other>
  bool operator==(const ZeroisingAllocator<Other>&) const noexcept {
    return true;
  }
};

/// The bytes of one object. They may be those of a secret key, so no copy of them outlives its vector.
using Bytes = std::vector<std::uint8_t, ZeroisingAllocator<std::uint8_t>>;

}  // namespace cyclotome::io
