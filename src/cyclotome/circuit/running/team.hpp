// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cyclotome::circuit {

/// A thread for each device. They last as long as the team, since a circuit has hundreds of steps that all of them
/// share.
class Team {
 public:
  /// The first member works on the thread that calls `each`, the others on threads of their own, or, without `threads`,
  /// there too, one after the other.
  explicit Team(std::size_t members, bool threads = true);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// work(member) for every member. Returns when all have ended; the first exception is thrown then. Not for members.
  void each(const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t member);
  void guarded(std::size_t member);

  std::size_t members_;
  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t round_ = 0, busy_ = 0;  // work that was given out, members that have not ended it
  bool over_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> others_;  // the last member, as they see the ones above
};

}  // namespace cyclotome::circuit
