// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace cyclotome::cuda {

/// Small pieces of memory that were freed on a stream and are kept for the next arrays there: to go to the driver for
/// each takes longer than what is computed in many, and all threads meet there. What is taken is as large as what was
/// put, and was last used in the same stream's order. Thread-safe. Host code only.
class KeptBlocks {
 public:
  static constexpr std::size_t max_block = std::size_t{1} << 20, max_bytes = std::size_t{16} << 20;
  /// What is asked for is rounded up to this, so that pieces of about one size serve each other.
  static constexpr std::size_t unit = 4096;
  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return bytes == 0 || bytes > max_block ? bytes : (bytes + unit - 1) / unit * unit;
  }

  /// total: of all such objects.
  explicit KeptBlocks(std::atomic<std::size_t>& total) : total_(total) {}

  /// A piece of `rounded(bytes)` bytes; null if there is none.
  void* take(std::size_t bytes) noexcept {
    if (bytes == 0 || bytes > max_block) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(rounded(bytes));
    if (found == blocks_.end() || found->second.empty()) return nullptr;
    void* const data = found->second.back();
    found->second.pop_back();
    count(0, found->first);
    return data;
  }

  /// Whether it is kept; else the caller frees it. bytes: as it was asked for.
  bool put(void* data, std::size_t bytes) noexcept {
    const std::size_t size = rounded(bytes);
    if (bytes == 0 || size > max_block) return false;
    const std::lock_guard lock(mutex_);
    if (bytes_ + size > max_bytes) return false;
    try {
      blocks_[size].push_back(data);
    } catch (...) {
      return false;
    }
    count(size, 0);
    return true;
  }

  /// Everything, to be freed by the caller.
  std::vector<void*> take_all() {
    const std::lock_guard lock(mutex_);
    std::vector<void*> all;
    for (const auto& [size, blocks] : blocks_) all.insert(all.end(), blocks.begin(), blocks.end());
    count(0, bytes_);
    blocks_.clear();
    return all;
  }

 private:
  void count(std::size_t more, std::size_t less) noexcept {
    bytes_ = bytes_ + more - less;
    total_.fetch_add(more - less, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> blocks_;  ///< by their size
  std::size_t bytes_ = 0;
  std::atomic<std::size_t>& total_;
};

}  // namespace cyclotome::cuda
