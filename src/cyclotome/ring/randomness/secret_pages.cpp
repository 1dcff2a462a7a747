// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/randomness/secret_pages.hpp"

#include <map>
#include <memory_resource>
#include <mutex>
#include <new>
#include <utility>

#include "cyclotome/platform/pages.hpp"
#include "cyclotome/platform/process.hpp"

namespace cyclotome {

namespace {

std::size_t whole_pages(std::size_t bytes) noexcept {
  const std::size_t page = platform::page_bytes();
  return (bytes + page - 1) / page * page;
}

/// All pages for secrets, and the small blocks in some of them. A fork waits until nobody works on it, so that the
/// child's copy is whole and its lock is free.
class Registry {
 public:
  static Registry& instance() {
    static Registry* const registry = new Registry;  // never destroyed: owners of secrets may outlive it
    return *registry;
  }

  void* map(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    return map_held(bytes);
  }
  void unmap(void* pages) noexcept {
    const std::lock_guard lock(mutex_);
    unmap_held(pages);
  }
  bool lock(const void* pages) noexcept {
    const std::lock_guard lock(mutex_);
    return lock_held(pages);
  }
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    prepare();
    return blocks_.allocate(bytes);
  }
  void free(void* data, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    blocks_.deallocate(data, bytes);
  }
  SecretPages use() noexcept {
    const std::lock_guard lock(mutex_);
    SecretPages use;
    use.refused = refused_;
    for (const auto& [pages, mapping] : mappings_) {
      use.mapped += mapping.bytes;
      if (mapping.locked) use.locked += mapping.bytes;
    }
    return use;
  }

 private:
  struct Mapping {
    std::size_t bytes;
    bool locked;
  };

  /// Has a page in reserve before the pool is asked. libstdc++'s pool asks for blocks, and then for where to note them:
  /// if that fails it swallows the error and goes on with nothing and the process ends.
  void prepare() {
    if (reserve_ == nullptr) reserve_ = map_held(platform::page_bytes());
    if (reserve_ == nullptr) throw std::bad_alloc();
  }

  /// Where small blocks get their pages from; called with the mutex held.
  class Upstream final : public std::pmr::memory_resource {
   public:
    explicit Upstream(Registry& registry) noexcept : registry_(registry) {}

   private:
    void* do_allocate(std::size_t bytes, std::size_t) override {
      void* pages = registry_.map_held(bytes);
      if (pages == nullptr && bytes <= platform::page_bytes()) pages = std::exchange(registry_.reserve_, nullptr);
      if (pages == nullptr) throw std::bad_alloc();
      registry_.lock_held(pages);
      return pages;
    }
    void do_deallocate(void* pages, std::size_t, std::size_t) override { registry_.unmap_held(pages); }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    Registry& registry_;
  };

  Registry() {
    platform::at_fork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                      [] {
                        for (auto& [pages, mapping] : instance().mappings_) mapping.locked = false;
                        instance().mutex_.unlock();
                      });
  }

  void* map_held(std::size_t bytes) noexcept {
    const std::size_t whole = whole_pages(bytes);
    if (whole < bytes) return nullptr;
    void* const pages = platform::map_pages(whole);
    if (pages == nullptr) return nullptr;
    try {
      mappings_.emplace(pages, Mapping{whole, false});
    } catch (const std::bad_alloc&) {
      platform::unmap_pages(pages, whole);
      return nullptr;
    }
    platform::leave_out_of_dumps(pages, whole);
    return pages;
  }
  void unmap_held(void* pages) noexcept {
    const auto found = mappings_.find(pages);
    platform::unmap_pages(pages, found->second.bytes);
    mappings_.erase(found);
  }
  bool lock_held(const void* pages) noexcept {
    const auto found = mappings_.find(pages);
    if (found == mappings_.end()) return false;
    Mapping& mapping = found->second;
    if (!mapping.locked) mapping.locked = platform::lock_pages(pages, mapping.bytes);
    if (!mapping.locked) ++refused_;
    return mapping.locked;
  }

  std::mutex mutex_;
  std::map<const void*, Mapping> mappings_;  // by first byte
  std::uint64_t refused_ = 0;
  void* reserve_ = nullptr;
  Upstream upstream_{*this};
  // Larger blocks have pages of their own, which go back to the system at once.
  std::pmr::unsynchronized_pool_resource blocks_{{.max_blocks_per_chunk = 64, .largest_required_pool_block = 2048},
                                                 &upstream_};
};

}  // namespace

SecretPages secret_pages() noexcept { return Registry::instance().use(); }

void* map_secret_pages(std::size_t bytes) noexcept { return Registry::instance().map(bytes); }
void unmap_secret_pages(void* pages) noexcept { Registry::instance().unmap(pages); }
bool lock_secret_pages(const void* pages) noexcept { return Registry::instance().lock(pages); }

void* allocate_locked(std::size_t bytes) { return Registry::instance().allocate(bytes); }
void free_locked(void* data, std::size_t bytes) noexcept { Registry::instance().free(data, bytes); }

}  // namespace cyclotome
