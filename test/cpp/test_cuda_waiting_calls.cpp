// SPDX-License-Identifier: Apache-2.0
// Threads whose calls are done together: each call is done once, with others that fit it only, by a thread that asked;
// whoever's work fails is told so, and nobody else. Needs no GPU.
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "cyclotome/engine/cuda/waiting_calls.hpp"

namespace {

using cyclotome::cuda::WaitingCalls;

struct Call {
  int key;
  std::atomic<int>* done;
  bool fails = false;
};

bool fit(const Call& a, const Call& b) { return a.key == b.key; }

TEST(each_call_is_done_once_with_those_that_fit) {
  for (const unsigned at_work : {1U, 3U}) {
    constexpr std::size_t most = 8;
    WaitingCalls<Call> calls(at_work, most);
    std::atomic<int> together{0}, largest{0}, now{0}, at_once{0};
    std::vector<std::thread> running;
    std::atomic<int> wrong{0}, errors{0}, expected_errors{0};
    for (unsigned t = 0; t < 12; ++t) {
      running.emplace_back([&, t] {
        std::mt19937_64 random(t);
        for (int i = 0; i < 400; ++i) {
          std::atomic<int> done{0};
          const Call call{static_cast<int>(random() % 2), &done, random() % 50 == 0};
          expected_errors += call.fails;
          try {
            calls.run(call, fit, [&](std::span<const Call* const> all) {
              const int here = ++now;
              for (int most_so_far = at_once;
                   here > most_so_far && !at_once.compare_exchange_weak(most_so_far, here);) {
              }
              if ((all.size() & (all.size() - 1)) != 0 || all.size() > most) ++wrong;
              bool fails = false;
              for (const Call* const each : all) {
                if (!fit(*all.front(), *each)) ++wrong;
                fails = fails || each->fails;
              }
              std::this_thread::sleep_for(std::chrono::microseconds(random() % 30));
              --now;
              if (fails) throw std::runtime_error("refused");
              if (all.size() > 1) ++together;
              for (int size = largest; static_cast<int>(all.size()) > size &&
                                       !largest.compare_exchange_weak(size, static_cast<int>(all.size()));) {
              }
              for (const Call* const each : all) ++*each->done;
            });
            if (call.fails) ++wrong;
          } catch (const std::runtime_error&) {
            ++errors;
            if (!call.fails) ++wrong;
          }
          if (done != (call.fails ? 0 : 1)) ++wrong;
        }
      });
    }
    for (std::thread& thread : running) thread.join();
    CHECK_EQ(wrong.load(), 0);
    CHECK_EQ(errors.load(), expected_errors.load());
    CHECK(together > 0);
    CHECK(largest > 1);
    std::printf("  %d calls done by others, up to %d together\n", together.load(), largest.load());
  }
}

TEST(one_thread_never_waits) {
  WaitingCalls<Call> calls(1, 8);
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    calls.run(Call{0, &done}, fit, [&](std::span<const Call* const> all) {
      CHECK_EQ(all.size(), std::size_t{1});
      ++*all.front()->done;
    });
  }
  CHECK_EQ(done.load(), 100);
}

}  // namespace

int main() { return cyclotome::check::run(); }
