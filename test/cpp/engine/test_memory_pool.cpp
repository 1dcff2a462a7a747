// SPDX-License-Identifier: Apache-2.0
// The CPU engine's memory pool: blocks are reused and counted, and a fork in the middle of its work does no harm.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "check.hpp"
#include "cyclotome/engine/cpu/memory_pool.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"

namespace {

using cyclotome::EngineError;
using cyclotome::cpu::MemoryPool;

TEST(blocks_are_aligned_reused_and_counted) {
  MemoryPool pool;
  std::size_t capacity = 0, again = 0;
  void* const block = pool.acquire(100000, capacity);
  CHECK(capacity >= 100000);
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, std::uintptr_t{0});
  std::memset(block, 1, capacity);
  CHECK_EQ(pool.used(), capacity);
  pool.release(block, capacity);
  CHECK_EQ(pool.used(), std::size_t{0});
  CHECK_EQ(pool.peak(), capacity);
  CHECK(pool.acquire(capacity - 1, again) == block);
  CHECK_EQ(again, capacity);
  pool.release(block, again);
  pool.reset_peak();
  CHECK_EQ(pool.peak(), std::size_t{0});
  CHECK_THROWS_WITH(EngineError, pool.acquire(SIZE_MAX, capacity), "could not get");
}

TEST(blocks_that_are_kept_count_within_a_memory_limit) {
  MemoryPool pool;
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  for (const bool is_limited : {false, true}) {
    if (is_limited) cyclotome::set_memory_limit(10 * mebibyte);
    std::size_t small = 0, large = 0;
    void* const first = pool.acquire(4 * mebibyte, small);
    pool.release(first, small);
    CHECK_EQ(pool.cached(), small);
    void* const second = pool.acquire(8 * mebibyte, large);
    CHECK_EQ(pool.cached(), is_limited ? std::size_t{0} : small);
    std::memset(second, 1, large);
    pool.release(second, large);
    pool.drop_cached();
    CHECK_EQ(pool.cached(), std::size_t{0});
  }
  cyclotome::set_memory_limit(std::nullopt);
}

#ifndef __SANITIZE_ADDRESS__  // whose own allocator may stay locked in the child of a program with threads
TEST(a_child_of_a_fork_can_use_a_pool_that_others_were_using) {
  MemoryPool pool;
  std::atomic<bool> stop{false};
  std::thread busy([&] {  // holds the pool's lock most of the time
    std::size_t capacity = 0;
    while (!stop) pool.release(pool.acquire(5000, capacity), capacity);
  });
  int lived = 0;
  constexpr int forks = 200;
  for (int i = 0; i < forks; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(10);  // a child that waits for ever is killed
      std::size_t capacity = 0;
      pool.release(pool.acquire(5000, capacity), capacity);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    lived += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
    if (lived != i + 1) break;
  }
  stop = true;
  busy.join();
  CHECK_EQ(lived, forks);
}
#endif

}  // namespace

int main() { return cyclotome::check::run(); }
