// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

// How long-running work is stopped from outside: by Ctrl-C, a deadline, a closed connection. A caller sets a check for
// its thread (InterruptScope), and everything that takes long calls it now and then (check_interrupt).
// Visible whatever a program is compiled with: one scope for the library and whoever uses it.
namespace [[gnu::visibility("default")]] cyclotome {

/// While it lives, this library's functions, when called on its thread, call `check` about once in every `interval`.
/// What `check` throws ends the call and reaches the caller; `Interrupted` is there for those without an exception of
/// their own. The result that was being made is gone; everything made before is as it was, and engines, contexts and
/// keys can be used again. Residues that an engine's verb was writing in place may hold anything.
///
///     InterruptScope scope([&] { if (stop) throw Interrupted("stopped"); });
///     const Ciphertext product = scheme::multiply(x, y);
///
/// `check` runs on the thread of the scope, whichever threads compute. It may use the library itself, but must not wait
/// for another thread that does, which may be waiting for this call. Scopes of one thread nest; the innermost one
/// counts.
class InterruptScope {
 public:
  /// interval 0: at every occasion.
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

/// While it lives, no check is called on its thread: for places that an exception must not leave.
class InterruptPause {
 public:
  InterruptPause() noexcept;
  ~InterruptPause();
  InterruptPause(const InterruptPause&) = delete;
  InterruptPause& operator=(const InterruptPause&) = delete;

 private:
  InterruptScope* paused_;
};

/// For the functions below: the scopes of a thread.
struct InterruptState {
  /// The innermost scope of this thread; null for none. Not in the static thread-local model: a library that is loaded
  /// late may find that memory used up by others.
  static inline constinit thread_local InterruptScope* scope = nullptr;
  /// Calls the check if its interval is over.
  static void check_if_due(InterruptScope& innermost);
  /// Looks at the clock, and does the same.
  static void look_again(InterruptScope& innermost);
};

/// Whether there is a check on this thread.
inline bool interruptible() noexcept { return InterruptState::scope != nullptr; }

/// Call it every few milliseconds. Costs a nanosecond, and some more where there is a scope. Throws what the scope's
/// check throws, so don't call it with a lock held.
inline void check_interrupt() {
  if (InterruptScope* const scope = InterruptState::scope; scope != nullptr) InterruptState::check_if_due(*scope);
}

/// The same for loops with steps of a microsecond to ten milliseconds: reads the clock at every 32nd call, or at every
/// fourth while steps turn out to be long.
inline void check_interrupt_often() {
  if (InterruptScope* const scope = InterruptState::scope; scope != nullptr && --scope->calls_left_ == 0) {
    InterruptState::look_again(*scope);
  }
}

/// The same at once, whatever the interval: after a system call that a signal ended.
void check_interrupt_now();

}  // namespace cyclotome
