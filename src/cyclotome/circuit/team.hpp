// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cyclotome::circuit {

/// work(member) for every member of a team: the first on the calling thread, the others at the same time on threads of
/// their own if `threads`. Returns when all have ended; the first exception is thrown then.
template <class Work>
void each_of_team(std::size_t members, bool threads, const Work& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&](std::size_t member) {
    try {
      work(member);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (failure == nullptr) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t member = 1; threads && member < members; ++member) others.emplace_back(guarded, member);
    for (std::size_t member = 0; member < (threads ? 1 : members); ++member) guarded(member);
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace cyclotome::circuit
