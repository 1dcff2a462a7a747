// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "cyclotome/platform/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace cyclotome::platform {

namespace {

void* map(std::size_t bytes, int flags) noexcept {
  void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

}  // namespace

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

void* map_pages(std::size_t bytes) noexcept { return map(bytes, 0); }
void* map_sparse_pages(std::size_t bytes) noexcept { return map(bytes, MAP_NORESERVE); }
void unmap_pages(void* pages, std::size_t bytes) noexcept { ::munmap(pages, bytes); }

bool lock_pages(const void* pages, std::size_t bytes) noexcept { return ::mlock(pages, bytes) == 0; }

void leave_out_of_dumps([[maybe_unused]] void* pages, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_DONTDUMP
  static_cast<void>(::madvise(pages, bytes, MADV_DONTDUMP));
#endif
}

}  // namespace cyclotome::platform

#endif
