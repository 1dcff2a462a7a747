// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/platform/process.hpp"

namespace cyclotome::cpu {

namespace {

using Body = std::function<void(std::size_t)>;

thread_local bool inside_loop = false;

/// Chunks [begin, end) of loop number `loop` that a thread has not begun yet, in one word that threads exchange: a
/// stale word of an earlier loop is never mistaken for one of this loop.
struct Share {
  std::uint32_t loop;
  std::uint16_t begin, end;

  static Share of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint16_t>(word >> 16),
            static_cast<std::uint16_t>(word)};
  }
  std::uint64_t word() const noexcept {
    return std::uint64_t{loop} << 32 | std::uint64_t{begin} << 16 | std::uint64_t{end};
  }
  bool empty() const noexcept { return begin == end; }
};
constexpr std::size_t max_chunks = 0xffff;

/// One thread's share, and the loop it belongs to, which may be read by whoever took a chunk of it: the loop cannot end
/// before that chunk is done. Each in a cache line of its own, which is all that a waiting thread looks at.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> share{0};
  const Body* body = nullptr;
  std::size_t count = 0, chunk = 1;  // iterations of the loop, and of a chunk
};

inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks until `ready()` or for `patience`; whether it became ready.
template <class Ready>
bool spin(std::chrono::nanoseconds patience, const Ready& ready) {
  if (ready()) return true;
  if (patience.count() == 0) return false;
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 32; ++i) {
      pause();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// About as long as it takes to wake a thread.
constexpr std::chrono::microseconds wake_time{60};

/// How often a thread that sleeps until others are done looks whether its work shall go on.
constexpr std::chrono::milliseconds look_time{20};

}  // namespace

struct ThreadPool::State {
  explicit State(std::size_t count)
      : owner(platform::process_id()),
        patience(platform::usable_cores() < count ? std::chrono::nanoseconds{0} : wake_time),
        slots(count) {
    try {
      for (std::size_t i = 1; i < count; ++i) {
        workers.emplace_back([this, i] { work(i); });
      }
    } catch (const std::system_error& error) {
      stop();
      throw EngineError(message("only ", workers.size() + 1, " of ", count, " threads could be started: ", error.what(),
                                "; ask for fewer, such as the device \"cpu:1\""));
    }
  }

  ~State() { stop(); }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (auto& worker : workers) worker.join();
  }

  /// Of worker `self`, as long as the pool lives.
  void work(std::size_t self) {
    inside_loop = true;
    // A long iteration asks as it would on the caller's thread; here it learns whether the loop has failed meanwhile.
    const InterruptScope scope([this] {
      if (failed.load(std::memory_order_relaxed)) throw Interrupted("another thread's part of the loop failed");
    });
    std::uint32_t seen = 0;
    const auto called = [&] {
      return Share::of(slots[self].share.load(std::memory_order_acquire)).loop != seen || stopping.load();
    };
    while (true) {
      if (!spin(patience, called)) {
        std::unique_lock lock(mutex);
        ++sleepers;
        wake.wait(lock, called);
        --sleepers;
      }
      if (stopping.load()) return;
      seen = Share::of(slots[self].share.load(std::memory_order_acquire)).loop;
      take_part(self);
    }
  }

  /// Takes chunks, its own and then others', until there are none left.
  void take_part(std::size_t self) noexcept {
    std::size_t done = 0;
    std::uint16_t chunk;
    while (own_chunk(self, chunk) || stolen_chunk(self, chunk)) {
      run_chunk(slots[self], chunk);
      ++done;
    }
    if (done == 0) return;
    completed.fetch_add(done);  // from here on the loop may end, and the next one begin
    if (waiting.load()) {
      const std::lock_guard lock(mutex);
      ended.notify_all();
    }
  }

  bool own_chunk(std::size_t self, std::uint16_t& chunk) noexcept {
    std::uint64_t word = slots[self].share.load(std::memory_order_acquire);
    while (true) {
      Share share = Share::of(word);
      if (share.empty()) return false;
      chunk = share.begin++;
      if (slots[self].share.compare_exchange_weak(word, share.word(), std::memory_order_acq_rel)) return true;
    }
  }

  /// The last half of what another thread has left becomes this thread's share.
  bool stolen_chunk(std::size_t self, std::uint16_t& chunk) noexcept {
    const Share own = Share::of(slots[self].share.load(std::memory_order_acquire));
    if (!own.empty()) return own_chunk(self, chunk);  // a new loop has begun since this thread ran out
    for (std::size_t step = 1; step < slots.size(); ++step) {
      std::atomic<std::uint64_t>& victim = slots[(self + step) % slots.size()].share;
      std::uint64_t word = victim.load(std::memory_order_acquire);
      for (Share share = Share::of(word); !share.empty(); share = Share::of(word)) {
        if (share.loop != own.loop) return false;  // likewise; this thread is about to get a share
        const auto middle = static_cast<std::uint16_t>(share.begin + (share.end - share.begin) / 2);
        if (victim.compare_exchange_weak(word, Share{share.loop, share.begin, middle}.word(),
                                         std::memory_order_acq_rel)) {
          chunk = middle;
          const Share rest{share.loop, static_cast<std::uint16_t>(middle + 1), share.end};
          slots[self].share.store(rest.word(), std::memory_order_release);
          return true;
        }
      }
    }
    return false;
  }

  void run_chunk(const Slot& slot, std::size_t chunk) noexcept {
    const std::size_t end = std::min(slot.count, (chunk + 1) * slot.chunk);
    for (std::size_t i = chunk * slot.chunk; i < end && !failed.load(std::memory_order_relaxed); ++i) {
      try {
        check_interrupt_often();
        (*slot.body)(i);
      } catch (...) {
        fail();
      }
    }
  }

  /// Keeps the exception that is being handled, if it is the first one, and ends the loop.
  void fail() noexcept {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    failed.store(true);
  }

  /// Until all chunks are done, however the loop ends: its body lives on the caller's stack.
  void await(std::size_t total) noexcept {
    const auto all_done = [&] { return completed.load() == total; };
    if (spin(patience, all_done)) return;
    std::unique_lock lock(mutex);
    waiting.store(true);
    while (!ended.wait_for(lock, look_time, all_done)) {
      if (!interruptible() || failed.load()) continue;
      lock.unlock();
      try {
        check_interrupt();
      } catch (...) {
        fail();
      }
      lock.lock();
    }
    waiting.store(false);
  }

  std::unique_lock<std::timed_mutex> take_turn() {
    std::unique_lock turn(turns, std::try_to_lock);
    while (!turn.owns_lock()) {
      check_interrupt();
      static_cast<void>(turn.try_lock_for(look_time));
    }
    return turn;
  }

  /// The first exception of a body, or of a check for interruptions, or null.
  std::exception_ptr run(std::size_t count, const Body& body) {
    const std::unique_lock<std::timed_mutex> turn = take_turn();
    const std::size_t chunk = (count + max_chunks - 1) / max_chunks, total = (count + chunk - 1) / chunk;
    ++loop;
    completed.store(0, std::memory_order_relaxed);
    for (Slot& slot : slots) {
      slot.body = &body;
      slot.count = count;
      slot.chunk = chunk;
    }
    for (std::size_t i = slots.size(); i-- > 0;) {
      const Share share{loop, static_cast<std::uint16_t>(total * i / slots.size()),
                        static_cast<std::uint16_t>(total * (i + 1) / slots.size())};
      slots[i].share.store(share.word(), std::memory_order_release);
    }
    // A worker that falls asleep at this moment may be missed: then the others do its share, and it wakes next time.
    if (sleepers.load(std::memory_order_relaxed) > 0) {
      {
        const std::lock_guard lock(mutex);
      }
      wake.notify_all();
    }
    inside_loop = true;
    take_part(0);
    await(total);
    inside_loop = false;
    failed.store(false, std::memory_order_relaxed);
    return std::exchange(failure, nullptr);
  }

  int owner;
  std::chrono::nanoseconds patience;
  std::vector<Slot> slots;  // the caller's, then one for each worker
  std::vector<std::thread> workers;
  std::timed_mutex turns;  // one loop at a time
  std::uint32_t loop = 0;
  alignas(64) std::atomic<bool> stopping{false}, failed{false}, waiting{false};
  std::atomic<std::size_t> sleepers{0};
  std::mutex mutex;  // of those who sleep, and of `failure`
  std::condition_variable wake, ended;
  std::exception_ptr failure;
  alignas(64) std::atomic<std::size_t> completed{0};  // chunks of the current loop
};

ThreadPool::ThreadPool(std::size_t threads) : state_(new State(threads == 0 ? 1 : threads)) {}

ThreadPool::~ThreadPool() {
  State* const state = state_.load();
  // The parent's threads did not survive a fork, and its locks and conditions can be neither awaited nor destroyed.
  if (state->owner == platform::process_id()) delete state;
}

ThreadPool::State& ThreadPool::state() {
  State* current = state_.load();
  if (current->owner != platform::process_id()) {
    // In a forked child the parent's workers are gone and its locks may be held: leave them behind and start anew.
    auto fresh = std::make_unique<State>(current->slots.size());
    if (state_.compare_exchange_strong(current, fresh.get())) return *fresh.release();
  }
  return *current;
}

std::size_t ThreadPool::threads() const noexcept { return state_.load()->slots.size(); }

void ThreadPool::parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count <= 1 || inside_loop || threads() == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      check_interrupt_often();
      body(i);
    }
    return;
  }
  if (const std::exception_ptr failure = state().run(count, body)) std::rethrow_exception(failure);
}

}  // namespace cyclotome::cpu
