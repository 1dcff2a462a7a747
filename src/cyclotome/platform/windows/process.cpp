// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "cyclotome/platform/process.hpp"

#include <bit>
#include <windows.h>

namespace cyclotome::platform {

std::size_t usable_cores() noexcept {
  DWORD_PTR own = 0, all = 0;
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &own, &all) == 0 || own == 0) return 1;
  return static_cast<std::size_t>(std::popcount(own));  // of the group of at most 64 that this process began in
}

int process_id() noexcept { return static_cast<int>(::GetCurrentProcessId()); }

void at_fork(void (*)(), void (*)(), void (*)()) noexcept {}

}  // namespace cyclotome::platform

#endif
