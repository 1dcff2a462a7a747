// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Memory for secrets, in pages that hold nothing else, because locking and dumping work by the page. The pages are left
// out of core dumps; those for what lives long are locked too, that is never written to swap, as far as RLIMIT_MEMLOCK
// allows. Where the system refuses, everything works without. A child of a fork has copies, which are not locked.
// (MADV_WIPEONFORK would give it zeros in place of its parent's keys, and so wrong results.)
namespace cyclotome {

/// What the process holds in such pages now.
struct SecretPages {
  std::size_t mapped = 0;     ///< bytes
  std::size_t locked = 0;     ///< bytes of these that never reach swap
  std::uint64_t refused = 0;  ///< how often the system refused to lock pages, since the process began
};
/// What the process holds now.
SecretPages secret_pages() noexcept;

/// At least `bytes` bytes in pages of their own; nullptr when the system has no memory left. Thread-safe, as all here.
void* map_secret_pages(std::size_t bytes) noexcept;
/// Gives them back, wiped.
void unmap_secret_pages(void* pages) noexcept;
/// Locks what `map_secret_pages` returned, until it is unmapped. Other addresses, such as those of a device's memory,
/// are left alone. Returns whether the pages are locked now.
bool lock_secret_pages(const void* pages) noexcept;

/// A block of locked pages; small ones share pages, with one another only. Throws std::bad_alloc.
void* allocate_locked(std::size_t bytes);
void free_locked(void* data, std::size_t bytes) noexcept;

}  // namespace cyclotome
