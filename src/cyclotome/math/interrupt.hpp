// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

// How long work is stopped from outside: by Ctrl-C, a deadline, a closed connection. Whoever asks for work may state
// what is to be looked at meanwhile; whatever takes long looks at it now and then.
namespace cyclotome {

/// While it lives, work that its thread asks this library for calls `check` about once in every `interval`, and what
/// `check` throws ends that work: it reaches whoever asked for it. `Interrupted` is there for those without an
/// exception of their own. What was being made is gone, what had been made before is as it was, and engines, contexts
/// and keys can be used again; residues that an engine's verb was to write in place hold anything.
///
///     InterruptScope scope([&] { if (stop) throw Interrupted("stopped"); });
///     const Ciphertext product = scheme::multiply(x, y);
///
/// `check` runs on the thread of the scope, whichever threads compute. It may use the library itself, but must not wait
/// for another thread that does: its turn may be this work's. Scopes of one thread nest; the innermost one is asked.
class InterruptScope {
 public:
  /// interval 0: whenever the library could ask.
  explicit InterruptScope(std::function<void()> check,
                          std::chrono::nanoseconds interval = std::chrono::milliseconds{100});
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  friend void check_interrupt_now();
  friend void check_interrupt_often();
  friend class InterruptPause;
  friend struct InterruptState;
  std::function<void()> check_;
  std::int64_t interval_, looked_, due_;  // nanoseconds; when check_interrupt_often looked at the clock
  unsigned calls_, calls_left_;           // of check_interrupt_often, from one look to the next
  InterruptScope* outer_;
};

/// While it lives, nothing asks whether its thread's work shall go on: for places that an exception must not leave.
class InterruptPause {
 public:
  InterruptPause() noexcept;
  ~InterruptPause();
  InterruptPause(const InterruptPause&) = delete;
  InterruptPause& operator=(const InterruptPause&) = delete;

 private:
  InterruptScope* paused_;
};

struct InterruptState {
  /// The innermost scope of this thread; null for none. In the model for libraries that are loaded later: a program
  /// that has loaded others before may have no static thread-local memory left to give.
  static inline constinit thread_local InterruptScope* scope = nullptr;
  static void check_if_due(InterruptScope& innermost);
  static void look_again(InterruptScope& innermost);
};

/// Whether anybody wants to be asked on this thread.
inline bool interruptible() noexcept { return InterruptState::scope != nullptr; }

/// To be called every some milliseconds. Costs a nanosecond, and some more where there is a scope. Throws what the
/// scope's check throws. Not to be called with a lock held.
inline void check_interrupt() {
  if (InterruptScope* const scope = InterruptState::scope; scope != nullptr) InterruptState::check_if_due(*scope);
}

/// The same between steps of microseconds, up to ten milliseconds: looks at the clock at every 32nd call, at every
/// fourth while steps turn out to be long.
inline void check_interrupt_often() {
  if (InterruptScope* const scope = InterruptState::scope; scope != nullptr && --scope->calls_left_ == 0) {
    InterruptState::look_again(*scope);
  }
}

/// The same without waiting for the next time: after a system call that a signal ended.
void check_interrupt_now();

}  // namespace cyclotome
