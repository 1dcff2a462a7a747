// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cyclotome::platform {

/// Bytes of a page, a power of two.
std::size_t page_bytes() noexcept;

/// Whole pages of zeros of this process alone, at least `bytes`; null when the system has no memory left.
void* map_pages(std::size_t bytes) noexcept;
/// Address space of which only what is written takes memory, where the system has that; else as `map_pages`.
void* map_sparse_pages(std::size_t bytes) noexcept;
/// Gives back what one of these two returned, for the same `bytes`.
void unmap_pages(void* pages, std::size_t bytes) noexcept;

/// Asks the system never to write these pages to swap; whether it agreed.
bool lock_pages(const void* pages, std::size_t bytes) noexcept;
/// Asks the system to leave these pages out of core dumps, where it can.
void leave_out_of_dumps(void* pages, std::size_t bytes) noexcept;

}  // namespace cyclotome::platform
