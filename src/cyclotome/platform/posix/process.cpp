// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "cyclotome/platform/process.hpp"

#include <pthread.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#else
#include <thread>
#endif

namespace cyclotome::platform {

std::size_t usable_cores() noexcept {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
#else
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : cores;
#endif
}

int process_id() noexcept { return ::getpid(); }

void at_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  ::pthread_atfork(prepare, parent, child);
}

}  // namespace cyclotome::platform

#endif
