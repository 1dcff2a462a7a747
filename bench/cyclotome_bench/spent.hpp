// SPDX-License-Identifier: Apache-2.0
// What a program of another library took, for `cyclotome_bench.peers.peer_programs`.
#pragma once

#include <cstdint>
#include <ctime>
#include <iostream>

/// From its making to `tell`, which writes a line: nanoseconds by the clock on the wall, and of the calling thread.
class Spent {
 public:
  void tell() const {
    std::cout << now(CLOCK_MONOTONIC) - wall_ << ' ' << now(CLOCK_THREAD_CPUTIME_ID) - thread_ << std::endl;
  }

 private:
  static std::int64_t now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
  }

  std::int64_t wall_ = now(CLOCK_MONOTONIC), thread_ = now(CLOCK_THREAD_CPUTIME_ID);
};
