// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/interrupt.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace cyclotome {

namespace {

/// Nanoseconds since some moment, to a few milliseconds: the clock that is cheapest to read.
std::int64_t now() noexcept {
#ifdef CLOCK_MONOTONIC_COARSE
  constexpr clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t clock = CLOCK_MONOTONIC;
#endif
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

InterruptScope::InterruptScope(std::function<void()> check, std::chrono::nanoseconds interval)
    : check_(std::move(check)),
      interval_(interval.count()),
      looked_(now()),
      due_(looked_ + interval_),
      calls_(interval_ == 0 ? 1 : 8),
      calls_left_(calls_),
      outer_(std::exchange(InterruptState::scope, this)) {}

InterruptScope::~InterruptScope() { InterruptState::scope = outer_; }

InterruptPause::InterruptPause() noexcept : paused_(std::exchange(InterruptState::scope, nullptr)) {}

InterruptPause::~InterruptPause() { InterruptState::scope = paused_; }

void InterruptState::check_if_due(InterruptScope& innermost) {
  if (now() >= innermost.due_) check_interrupt_now();
}

void InterruptState::look_again(InterruptScope& innermost) {
  constexpr unsigned fewest = 4, most = 32;
  constexpr std::int64_t tick = 8'000'000;  // the clock's steps are shorter
  const std::int64_t time = now();
  if (innermost.interval_ != 0) {
    innermost.calls_ = time - innermost.looked_ < tick ? std::min(2 * innermost.calls_, most) : fewest;
  }
  innermost.calls_left_ = innermost.calls_;
  innermost.looked_ = time;
  if (time >= innermost.due_) check_interrupt_now();
}

void check_interrupt_now() {
  InterruptScope* const scope = InterruptState::scope;
  if (scope == nullptr) return;
  const InterruptPause pause;  // what the check asks of the library is not interrupted by the check
  scope->check_();
  scope->due_ = now() + scope->interval_;
}

}  // namespace cyclotome
