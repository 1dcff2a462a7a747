// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/host_threads.hpp"
#include "cyclotome/platform/processor_time.hpp"

namespace cyclotome {

/// What times an engine's work: the processor time of the calling thread where that thread does all of it, so that
/// what else runs on the machine counts nothing; else the clock on the wall, which on a device is what a caller waits.
class WorkClock {
 public:
  explicit WorkClock(const Engine& engine) {
    const auto* const threads = dynamic_cast<const HostThreads*>(&engine);
    alone_ = threads != nullptr && threads->threads() == 1 && engine.name().starts_with("cpu") &&
             platform::thread_nanoseconds() >= 0;
  }

  /// Nanoseconds since some moment, of this clock alone.
  std::int64_t nanoseconds() const noexcept {
    if (alone_) return platform::thread_nanoseconds();
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  bool alone_ = false;
};

}  // namespace cyclotome
