// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace cyclotome::cpu {

/// Worker threads that share the iterations of a loop with the caller. Every thread starts with a share of neighbouring
/// iterations, the same one for loops of the same length, and takes half of another's rest when it has none left.
/// Threads that wait, for a loop or for its end, look again and again for some tens of microseconds before they sleep:
/// loops follow each other within less, and waking a thread takes as long. They sleep at once if the process may use
/// fewer cores than the pool has threads.
///
/// Survives fork(): a child starts its own workers. Several host threads may call `parallel_for` at once; their loops
/// run one after another, each on all workers.
class ThreadPool {
 public:
  /// threads: number of threads that compute, the caller included; at least 1.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const noexcept;

  /// body(i) for i = 0 ... count-1, each once, in any order and on any thread. Rethrows the first exception of a body.
  /// A call from inside a body runs its loop on the calling thread. Asks whether to go on (math/interrupt.hpp) between
  /// iterations and while it waits; a body that takes long asks by itself, on every thread.
  void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

 private:
  struct State;
  /// The workers of this process; in a forked child those of its parent are replaced, and never touched.
  State& state();

  std::atomic<State*> state_;
};

}  // namespace cyclotome::cpu
