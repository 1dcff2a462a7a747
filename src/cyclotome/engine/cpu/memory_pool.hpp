// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace cyclotome::cpu {

/// Keeps freed blocks for the next request of their size, so that no operation in a steady state asks the system for
/// memory. Secret blocks are apart from others, in pages of their own (ring/randomness/secret_pages.hpp), and stay so;
/// whoever frees one has wiped it. Thread-safe, also across fork(): a child finds every pool whole, whatever the
/// parent's other threads did.
class MemoryPool {
 public:
  MemoryPool();
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// A block of at least `bytes` bytes, aligned to 64; its capacity is what `release` wants back. Throws
  /// MemoryLimitError when the system has no memory left.
  void* acquire(std::size_t bytes, std::size_t& capacity, bool secret = false);
  void release(void* block, std::size_t capacity, bool secret = false) noexcept;

  /// Bytes in blocks that are in use, and the most that ever were since reset_peak().
  std::size_t used() const noexcept { return used_bytes_.load(); }
  std::size_t peak() const noexcept { return peak_bytes_.load(); }
  void reset_peak() noexcept { peak_bytes_.store(used()); }

  /// Bytes in blocks that are kept for reuse.
  std::size_t cached() const;
  /// Gives all of them back to the system.
  void drop_cached() noexcept;

  /// Blocks kept for reuse stay below this many bytes; beyond it the system gets them back.
  static constexpr std::size_t max_cached_bytes = std::size_t{512} << 20;

 private:
  friend class PoolRegistry;
  void count_use(std::size_t capacity) noexcept;

  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_[2];  // by capacity: of those for everything, and of secret ones
  std::size_t cached_bytes_ = 0;
  std::atomic<std::size_t> used_bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace cyclotome::cpu
