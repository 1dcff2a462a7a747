// SPDX-License-Identifier: Apache-2.0
// The CPU engine's thread pool: every iteration once, exceptions, loops inside loops, and several callers at once.
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/thread_pool.hpp"

namespace {

using cyclotome::cpu::ThreadPool;

/// How often each of `count` iterations ran.
std::vector<int> runs(ThreadPool& pool, std::size_t count) {
  std::vector<std::atomic<int>> seen(count);
  pool.parallel_for(count, [&](std::size_t i) { ++seen[i]; });
  return {seen.begin(), seen.end()};
}

TEST(every_iteration_runs_exactly_once) {
  for (const std::size_t threads : {0, 1, 2, 7}) {
    ThreadPool pool(threads);
    CHECK_EQ(pool.threads(), threads == 0 ? 1 : threads);
    for (const std::size_t count : {0, 1, 2, 3, 1000}) CHECK_EQ(runs(pool, count), std::vector<int>(count, 1));
  }
}

TEST(many_short_loops_follow_each_other) {
  ThreadPool pool(3);
  std::atomic<std::size_t> total{0};
  for (std::size_t loop = 0; loop < 2000; ++loop) pool.parallel_for(4, [&](std::size_t i) { total += i; });
  CHECK_EQ(total.load(), std::size_t{2000 * 6});
}

TEST(loops_of_any_length_and_balance_end) {
  // A share that is lost, or taken twice, leaves a loop that never ends or a wrong count.
  std::mt19937 random(20);
  for (const std::size_t threads : {2, 3, 5}) {
    ThreadPool pool(threads);
    for (int loop = 0; loop < 5000; ++loop) {
      const std::size_t count = random() % 40, slow = random() % 40;
      std::atomic<std::size_t> total{0};
      pool.parallel_for(count, [&](std::size_t i) {
        if (i == slow && loop % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        total += i + 1;
      });
      if (total != count * (count + 1) / 2) CHECK_EQ(total.load(), count * (count + 1) / 2);
    }
  }
}

TEST(loops_longer_than_a_share_can_count) {
  ThreadPool pool(3);
  for (const std::size_t count : {65535, 65536, 200001}) {
    std::atomic<std::size_t> total{0};
    pool.parallel_for(count, [&](std::size_t i) { total += i; });
    CHECK_EQ(total.load(), count * (count - 1) / 2);
  }
}

TEST(workers_that_fell_asleep_wake_up) {
  ThreadPool pool(2);
  for (int loop = 0; loop < 20; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK_EQ(runs(pool, 10), std::vector<int>(10, 1));
  }
}

TEST(an_exception_of_a_body_reaches_the_caller_and_the_pool_lives_on) {
  for (const std::size_t threads : {1, 3}) {
    ThreadPool pool(threads);
    for (const std::size_t bad : {0, 5, 99}) {
      const auto loop = [&] {
        pool.parallel_for(100, [&](std::size_t i) {
          if (i == bad) throw std::out_of_range("iteration " + std::to_string(i));
        });
      };
      CHECK_THROWS_WITH(std::out_of_range, loop(), "iteration " + std::to_string(bad));
    }
    CHECK_EQ(runs(pool, 64), std::vector<int>(64, 1));
  }
}

TEST(a_failed_loop_starts_no_further_iterations) {
  ThreadPool pool(1);
  std::size_t last = 0;
  const auto loop = [&] {
    pool.parallel_for(1000, [&](std::size_t i) {
      last = i;
      if (i == 10) throw std::runtime_error("stop");
    });
  };
  CHECK_THROWS(std::runtime_error, loop());
  CHECK_EQ(last, std::size_t{10});
}

TEST(loops_inside_loops) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> seen(8 * 8 * 8);
  pool.parallel_for(8, [&](std::size_t i) {
    pool.parallel_for(
        8, [&](std::size_t j) { pool.parallel_for(8, [&](std::size_t k) { ++seen[(i * 8 + j) * 8 + k]; }); });
  });
  CHECK_EQ(std::vector<int>(seen.begin(), seen.end()), std::vector<int>(512, 1));
  const auto failing = [&] {
    pool.parallel_for(4, [&](std::size_t i) {
      pool.parallel_for(4, [&](std::size_t j) {
        if (i == 2 && j == 3) throw std::logic_error("inner");
      });
    });
  };
  CHECK_THROWS_WITH(std::logic_error, failing(), "inner");
  CHECK_EQ(runs(pool, 10), std::vector<int>(10, 1));  // the caller is no longer inside a loop
}

TEST(a_single_iteration_may_start_a_loop_on_all_threads) {
  ThreadPool pool(2);
  std::atomic<int> count{0};
  pool.parallel_for(1, [&](std::size_t) { pool.parallel_for(100, [&](std::size_t) { ++count; }); });
  CHECK_EQ(count.load(), 100);
}

TEST(several_host_threads_call_at_once) {
  ThreadPool pool(2);
  std::vector<std::size_t> sums(4, 0);
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < sums.size(); ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 200; ++round) {
        std::vector<std::size_t> values(50);
        pool.parallel_for(values.size(), [&](std::size_t i) { values[i] = i + caller; });
        sums[caller] += std::accumulate(values.begin(), values.end(), std::size_t{0});
        try {
          pool.parallel_for(20, [&](std::size_t i) {
            if (i == caller) throw caller;
          });
        } catch (const std::size_t thrown) {
          failures += thrown == caller ? 1 : 0;
        }
      }
    });
  }
  for (auto& caller : callers) caller.join();
  for (std::size_t caller = 0; caller < sums.size(); ++caller) {
    CHECK_EQ(sums[caller], std::size_t{200} * (49 * 50 / 2 + 50 * caller));
  }
  CHECK_EQ(failures.load(), 800);  // each caller saw its own exceptions and no other's
}

}  // namespace

int main() { return cyclotome::check::run(); }
