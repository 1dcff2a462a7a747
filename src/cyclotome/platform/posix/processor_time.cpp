// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "cyclotome/platform/processor_time.hpp"

#include <ctime>

namespace cyclotome::platform {

std::int64_t thread_nanoseconds() noexcept {
  timespec now{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return -1;
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace cyclotome::platform

#endif
