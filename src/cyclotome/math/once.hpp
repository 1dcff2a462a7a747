// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>

namespace cyclotome {

/// Does something once, for whoever comes first; all others wait. If it throws, the next one does it.
///
/// In place of std::call_once, which no exception leaves alive where libgcc is linked statically: it goes through
/// glibc's pthread_once, which unwinds with the shared libgcc, and the two abort the process. An interruption would.
class Once {
 public:
  template <class Action>
  void operator()(const Action& action) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    action();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> done_{false};
};

}  // namespace cyclotome
