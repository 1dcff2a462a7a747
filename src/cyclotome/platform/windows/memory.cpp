// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "cyclotome/platform/memory.hpp"

#include <algorithm>
#include <malloc.h>
#include <windows.h>

namespace cyclotome::platform {

std::optional<std::uint64_t> free_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  if (::GlobalMemoryStatusEx(&status) == 0) return std::nullopt;
  return std::min<std::uint64_t>({status.ullAvailPhys, status.ullAvailPageFile, status.ullAvailVirtual});
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept {
  return ::_aligned_malloc(bytes, alignment);
}

void free_aligned(void* data) noexcept { ::_aligned_free(data); }

}  // namespace cyclotome::platform

#endif
