// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "cyclotome/platform/processor_time.hpp"

#include <windows.h>

namespace cyclotome::platform {

std::int64_t thread_nanoseconds() noexcept {
  FILETIME created{}, ended{}, kernel{}, user{};
  if (::GetThreadTimes(::GetCurrentThread(), &created, &ended, &kernel, &user) == 0) return -1;
  const auto ticks = [](const FILETIME& time) {  // of 100 ns
    return static_cast<std::int64_t>(time.dwHighDateTime) << 32 | static_cast<std::int64_t>(time.dwLowDateTime);
  };
  return 100 * (ticks(kernel) + ticks(user));
}

}  // namespace cyclotome::platform

#endif
