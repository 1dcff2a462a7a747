// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/memory_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <new>
#include <optional>
#include <set>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/memory.hpp"
#include "cyclotome/platform/pages.hpp"
#include "cyclotome/platform/process.hpp"
#include "cyclotome/ring/randomness/secret_pages.hpp"

namespace cyclotome::cpu {

namespace {

constexpr std::size_t alignment = 64;

/// Rounds up to one of eight sizes per power of two, so that similar requests share blocks and little is wasted.
std::size_t size_class(std::size_t bytes) {
  if (bytes <= 4096) return 4096;
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

/// From so many bytes on a block has pages of its own, which the system has back when it is freed. What the C library's
/// allocator gets back stays with the arena of a thread: up to as much again as is in use.
constexpr std::size_t own_pages_from = std::size_t{1} << 20;

void* from_system(std::size_t capacity, bool secret) noexcept {
  if (secret) return map_secret_pages(capacity);
  return capacity >= own_pages_from ? platform::map_pages(capacity) : platform::allocate_aligned(alignment, capacity);
}

void to_system(void* block, std::size_t capacity, bool secret) noexcept {
  if (secret) {
    unmap_secret_pages(block);
  } else if (capacity >= own_pages_from) {
    platform::unmap_pages(block, capacity);
  } else {
    platform::free_aligned(block);
  }
}

}  // namespace

/// All pools of the process. A fork waits until nobody works on any of them, so that the child's copies are whole and
/// their locks are free.
class PoolRegistry {
 public:
  static PoolRegistry& instance() {
    static PoolRegistry* const registry = new PoolRegistry;  // never destroyed: a fork may come at any time
    return *registry;
  }
  void add(MemoryPool* pool) {
    const std::lock_guard lock(mutex_);
    pools_.insert(pool);
  }
  void remove(MemoryPool* pool) noexcept {
    const std::lock_guard lock(mutex_);
    pools_.erase(pool);
  }

 private:
  PoolRegistry() {
    platform::at_fork([] { instance().lock(); }, [] { instance().unlock(); }, [] { instance().unlock(); });
  }
  void lock() {
    mutex_.lock();
    for (MemoryPool* const pool : pools_) pool->mutex_.lock();
  }
  void unlock() {
    for (MemoryPool* const pool : pools_) pool->mutex_.unlock();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::set<MemoryPool*> pools_;
};

MemoryPool::MemoryPool() { PoolRegistry::instance().add(this); }

MemoryPool::~MemoryPool() {
  PoolRegistry::instance().remove(this);
  drop_cached();
}

std::size_t MemoryPool::cached() const {
  const std::lock_guard lock(mutex_);
  return cached_bytes_;
}

void MemoryPool::drop_cached() noexcept {
  const std::lock_guard lock(mutex_);
  for (const bool secret : {false, true}) {
    for (auto& [capacity, blocks] : free_[secret]) {
      for (void* block : blocks) to_system(block, capacity, secret);
    }
    free_[secret].clear();
  }
  cached_bytes_ = 0;
}

void* MemoryPool::acquire(std::size_t bytes, std::size_t& capacity, bool secret) {
  constexpr std::size_t largest = std::numeric_limits<std::ptrdiff_t>::max() / 2;
  capacity = size_class(std::min(bytes, largest));
  if (bytes <= largest) {
    const std::lock_guard lock(mutex_);
    const auto found = free_[secret].find(capacity);
    if (found != free_[secret].end() && !found->second.empty()) {
      void* const block = found->second.back();
      found->second.pop_back();
      cached_bytes_ -= capacity;
      count_use(capacity);
      return block;
    }
  }
  const std::optional<std::uint64_t> limit = memory_limit();  // which is of all that is held, kept blocks among it
  if (limit && used() + cached() + capacity > *limit) drop_cached();
  void* block = bytes <= largest ? from_system(capacity, secret) : nullptr;
  if (block == nullptr && bytes <= largest) {
    drop_cached();
    block = from_system(capacity, secret);
  }
  if (block == nullptr) {
    throw MemoryLimitError(message("the CPU engine could not get ", bytes, " bytes of memory besides the ", used(),
                                   " in use; work on smaller batches, or free arrays"));
  }
  count_use(capacity);
  return block;
}

void MemoryPool::count_use(std::size_t capacity) noexcept {
  const std::size_t used = used_bytes_.fetch_add(capacity) + capacity;
  std::size_t peak = peak_bytes_.load();
  while (peak < used && !peak_bytes_.compare_exchange_weak(peak, used)) {
  }
}

void MemoryPool::release(void* block, std::size_t capacity, bool secret) noexcept {
  used_bytes_.fetch_sub(capacity);
  try {
    const std::lock_guard lock(mutex_);
    if (cached_bytes_ + capacity <= max_cached_bytes) {
      free_[secret][capacity].push_back(block);
      cached_bytes_ += capacity;
      return;
    }
  } catch (const std::bad_alloc&) {  // no room to remember the block: let it go
  }
  to_system(block, capacity, secret);
}

}  // namespace cyclotome::cpu
