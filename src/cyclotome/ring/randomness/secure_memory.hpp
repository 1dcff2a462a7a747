// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/ring/randomness/secret_pages.hpp"

namespace cyclotome {

/// Where secrets in host memory lie.
enum class Residence : std::uint8_t {
  heap,   ///< with everything else: for what is large and soon gone
  locked  ///< in pages for secrets, never swapped or dumped where the system allows it: for keys and passphrases
};

/// Memory that is zeroised before it is freed: also when a vector grows, and when its owner is destroyed by an
/// exception.
template <class T>
class ZeroisingAllocator {
 public:
  using value_type = T;
  // A vector that is copied, moved or swapped keeps its secret where it was.
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  ZeroisingAllocator() = default;
  ZeroisingAllocator(Residence residence) noexcept  // NOLINT(google-explicit-constructor): vectors take it as such
      : residence_(residence) {}
  template <class Other>
  ZeroisingAllocator(const ZeroisingAllocator<Other>& other) noexcept  // NOLINT(google-explicit-constructor)
      : residence_(other.residence()) {}

  Residence residence() const noexcept { return residence_; }

  T* allocate(std::size_t count) {
    try {
      if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
      if (residence_ == Residence::locked) return static_cast<T*>(allocate_locked(count * sizeof(T)));
      return std::allocator<T>().allocate(count);
    } catch (const std::bad_alloc&) {
      throw MemoryLimitError(message("an array of ", count, " times ", sizeof(T),
                                     " bytes needs more memory than there is; work on fewer values at a time"));
    }
  }
  void deallocate(T* data, std::size_t count) noexcept {
    secure_zero(data, count * sizeof(T));
    if (residence_ == Residence::locked) {
      free_locked(data, count * sizeof(T));
    } else {
      std::allocator<T>().deallocate(data, count);
    }
  }
  template <class Other>
  bool operator==(const ZeroisingAllocator<Other>& other) const noexcept {
    return residence_ == other.residence();
  }

 private:
  Residence residence_ = Residence::heap;
};

/// A vector for secrets in host memory.
template <class T>
using ZeroisingVector = std::vector<T, ZeroisingAllocator<T>>;

}  // namespace cyclotome
