// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace cyclotome::cuda {

/// Threads that ask for the same at about the same time: as long as a few are at work each does its own call; those who
/// come meanwhile wait, and one of them does many calls at once. Thread-safe. Host code only.
template <class Call>
class WaitingCalls {
 public:
  /// at_work: how many threads work before others wait; most: calls that are done together at most.
  WaitingCalls(unsigned at_work, std::size_t most) : at_work_(at_work), most_(most) {}

  /// work(calls) does calls that all fit(call, each), this one first; a thread calls it for itself, and for others that
  /// wait. Returns when this call is done. Where work throws for several, each thread tries its own alone; what work
  /// throws for one call is thrown to whoever made it.
  template <class Fit, class Work>
  void run(const Call& call, const Fit& fit, const Work& work) {
    const Mine mine = std::make_shared<Waiting>(&call);  // those who tell it something may be behind
    {
      const std::lock_guard lock(mutex_);
      if (working_ < at_work_) {
        ++working_;
        mine->state = State::leads;
      } else {
        waiting_.push_back(mine);
      }
    }
    await(*mine);
    const State state = mine->state;
    if (state == State::done) return;
    if (state == State::alone) return work(std::span<const Call* const>(&mine->call, 1));
    lead(call, fit, work);
  }

 private:
  enum class State : int { waits, leads, done, alone };
  struct Waiting {
    explicit Waiting(const Call* to_do) : call(to_do) {}
    const Call* const call;
    std::atomic<State> state{State::waits};
  };
  using Mine = std::shared_ptr<Waiting>;

  static void await(Waiting& mine) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds spinning{30};
    const auto start = Clock::now();
    while (mine.state.load(std::memory_order_acquire) == State::waits) {
      if (Clock::now() - start < spinning) continue;
      mine.state.wait(State::waits, std::memory_order_acquire);
    }
  }

  /// The other thread goes on, and its call is gone.
  static void tell(Waiting& other, State state) {
    other.state.store(state, std::memory_order_release);
    other.state.notify_one();
  }

  template <class Fit, class Work>
  void lead(const Call& call, const Fit& fit, const Work& work) {
    const std::vector<Mine> others = gather(call, fit);
    std::vector<const Call*> calls{&call};
    for (const Mine& other : others) calls.push_back(other->call);
    bool failed = false;
    try {
      work(std::span<const Call* const>(calls));
    } catch (...) {
      if (others.empty()) {
        hand_on();
        throw;
      }
      failed = true;
    }
    hand_on();
    for (const Mine& other : others) tell(*other, failed ? State::alone : State::done);
    if (failed) work(std::span<const Call* const>(calls.data(), 1));
  }

  /// Takes those that wait and fit: as many as make a power of two, so that there are few different numbers.
  template <class Fit>
  std::vector<Mine> gather(const Call& call, const Fit& fit) {
    const std::lock_guard lock(mutex_);
    std::vector<Mine> found;
    for (const Mine& other : waiting_) {
      if (found.size() + 1 < most_ && fit(call, *other->call)) found.push_back(other);
    }
    std::size_t count = 1;
    while (2 * count <= found.size() + 1) count *= 2;
    found.resize(count - 1);
    for (const Mine& other : found) std::erase(waiting_, other);
    return found;
  }

  /// This thread has worked; the one that has waited longest does now.
  void hand_on() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      --working_;
      return;
    }
    const Mine next = waiting_.front();
    waiting_.pop_front();
    tell(*next, State::leads);
  }

  const unsigned at_work_;
  const std::size_t most_;
  std::mutex mutex_;
  std::deque<Mine> waiting_;
  unsigned working_ = 0;
};

}  // namespace cyclotome::cuda
