// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "cyclotome/platform/pages.hpp"

#include <windows.h>

namespace cyclotome::platform {

std::size_t page_bytes() noexcept {
  static const std::size_t bytes = [] {
    SYSTEM_INFO info{};
    ::GetSystemInfo(&info);
    return static_cast<std::size_t>(info.dwPageSize);
  }();
  return bytes;
}

void* map_pages(std::size_t bytes) noexcept {
  return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

// Memory comes with the first write here too, but the system counts all of it against what it could give.
void* map_sparse_pages(std::size_t bytes) noexcept { return map_pages(bytes); }

void unmap_pages(void* pages, std::size_t) noexcept { ::VirtualFree(pages, 0, MEM_RELEASE); }

bool lock_pages(const void* pages, std::size_t bytes) noexcept {
  return ::VirtualLock(const_cast<void*>(pages), bytes) != 0;
}

// Dumps are the business of whoever configures error reports; only a process as a whole can be left out.
void leave_out_of_dumps(void*, std::size_t) noexcept {}

}  // namespace cyclotome::platform

#endif
