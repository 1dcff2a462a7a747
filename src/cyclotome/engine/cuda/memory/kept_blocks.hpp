// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "cyclotome/engine/cuda/streams/stream_order.hpp"

namespace cyclotome::cuda {

/// A piece of memory that nobody holds, and the operations that used it last, by stream: whoever has it next comes
/// after them.
struct KeptBlock {
  void* data;
  StreamNumbers touched;
};

/// Small pieces of memory that an engine keeps for its next arrays: to go to the driver for each takes longer than what
/// is computed in many, and all threads meet there. What is taken is as large as what was put. Thread-safe. Host code
/// only.
class KeptBlocks {
 public:
  static constexpr std::size_t max_block = std::size_t{4} << 20, max_bytes = std::size_t{128} << 20;
  /// What is asked for is rounded up to this, so that pieces of about one size serve each other.
  static constexpr std::size_t unit = 4096;
  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return bytes == 0 || bytes > max_block ? bytes : (bytes + unit - 1) / unit * unit;
  }

  /// total: of all such objects.
  explicit KeptBlocks(std::atomic<std::size_t>& total) : total_(total) {}

  /// A piece of `rounded(bytes)` bytes, if there is one that `suits(touched)`: of those that were put last, the first.
  template <class Suits>
  std::optional<KeptBlock> take(std::size_t bytes, const Suits& suits) {
    constexpr std::ptrdiff_t looked_at = 16;
    if (bytes == 0 || bytes > max_block) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto size = blocks_.find(rounded(bytes));
    if (size == blocks_.end()) return std::nullopt;
    std::vector<KeptBlock>& all = size->second;
    for (auto at = all.rbegin(); at != all.rend() && at - all.rbegin() < looked_at; ++at) {
      if (!suits(at->touched)) continue;
      const KeptBlock block = *at;
      all.erase(std::next(at).base());
      count(0, size->first);
      return block;
    }
    return std::nullopt;
  }

  /// Whether it is kept; else the caller frees it. bytes: as it was asked for.
  bool put(const KeptBlock& block, std::size_t bytes) noexcept {
    const std::size_t size = rounded(bytes);
    if (bytes == 0 || size > max_block) return false;
    const std::lock_guard lock(mutex_);
    if (bytes_ + size > max_bytes) return false;
    try {
      blocks_[size].push_back(block);
    } catch (...) {
      return false;
    }
    count(size, 0);
    return true;
  }

  /// Everything that suits, to be freed by the caller.
  template <class Suits>
  std::vector<KeptBlock> take_all(const Suits& suits) {
    const std::lock_guard lock(mutex_);
    std::vector<KeptBlock> taken;
    for (auto& [size, blocks] : blocks_) {
      const auto unsuited = std::stable_partition(blocks.begin(), blocks.end(),
                                                  [&](const KeptBlock& block) { return !suits(block.touched); });
      count(0, static_cast<std::size_t>(blocks.end() - unsuited) * size);
      taken.insert(taken.end(), unsuited, blocks.end());
      blocks.erase(unsuited, blocks.end());
    }
    return taken;
  }

 private:
  void count(std::size_t more, std::size_t less) noexcept {
    bytes_ = bytes_ + more - less;
    total_.fetch_add(more - less, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<KeptBlock>> blocks_;  ///< by their size
  std::size_t bytes_ = 0;
  std::atomic<std::size_t>& total_;
};

}  // namespace cyclotome::cuda
