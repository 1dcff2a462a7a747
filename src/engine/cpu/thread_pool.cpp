// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/thread_pool.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace cyclotome::cpu {

namespace {

/// One loop: workers take iterations from `next` until there are none left.
struct Loop {
  const std::function<void(std::size_t)>* body;
  std::size_t count;
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;

  void run() noexcept {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        (*body)(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next.store(count);
      }
    }
  }
};

thread_local bool inside_loop = false;

}  // namespace

struct ThreadPool::State {
  explicit State(std::size_t count) : thread_count(count), owner(::getpid()) {
    for (std::size_t i = 1; i < count; ++i) {
      workers.emplace_back([this] { work(); });
    }
  }

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (auto& worker : workers) worker.join();
  }

  void work() {
    inside_loop = true;
    std::size_t seen = 0;
    while (true) {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping) return;
      seen = generation;
      Loop* const current = loop;
      if (current == nullptr) continue;
      ++busy;
      lock.unlock();
      current->run();
      lock.lock();
      if (--busy == 0) done.notify_all();
    }
  }

  void run(Loop& job) {
    const std::lock_guard turn(turns);
    {
      const std::lock_guard lock(mutex);
      loop = &job;
      ++generation;
    }
    wake.notify_all();
    inside_loop = true;
    job.run();
    inside_loop = false;
    std::unique_lock lock(mutex);
    loop = nullptr;  // late wakers find nothing
    done.wait(lock, [&] { return busy == 0; });
  }

  std::size_t thread_count;
  pid_t owner;
  std::vector<std::thread> workers;
  std::mutex turns;  // one loop at a time
  std::mutex mutex;  // guards what follows
  std::condition_variable wake, done;
  Loop* loop = nullptr;
  std::size_t generation = 0, busy = 0;
  bool stopping = false;
};

ThreadPool::ThreadPool(std::size_t threads) : state_(new State(threads == 0 ? 1 : threads)) {}

ThreadPool::~ThreadPool() {
  State* const state = state_.load();
  // The parent's threads did not survive a fork, and its locks and conditions can be neither awaited nor destroyed.
  if (state->owner == ::getpid()) delete state;
}

ThreadPool::State& ThreadPool::state() {
  State* current = state_.load();
  if (current->owner != ::getpid()) {
    // In a forked child the parent's workers are gone and its locks may be held: leave them behind and start anew.
    auto fresh = std::make_unique<State>(current->thread_count);
    if (state_.compare_exchange_strong(current, fresh.get())) return *fresh.release();
  }
  return *current;
}

std::size_t ThreadPool::threads() const noexcept { return state_.load()->thread_count; }

void ThreadPool::parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count == 0) return;
  Loop job{&body, count, {}, {}, {}};
  if (count == 1 || inside_loop || threads() == 1) {
    job.run();
  } else {
    state().run(job);
  }
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace cyclotome::cpu
