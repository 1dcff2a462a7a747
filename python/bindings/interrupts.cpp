// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <utility>

#include "bindings/bindings.hpp"
#include "cyclotome/platform/process.hpp"

namespace cyclotome::python {

namespace {

/// The thread that Python's signal handlers run on.
std::atomic<unsigned long> main_thread{0};

/// Lets Python run the handlers of signals that came in; what they raise, such as KeyboardInterrupt, ends the work.
void run_signal_handlers() {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds check_interval{100};

/// What a thread asks whether its work shall go on; null for nothing. It is asked at this pace over all calls, since a
/// job may be many short ones. Null while it is being asked, as it may call the library.
thread_local PyObject* thread_check = nullptr;
thread_local Clock::time_point asked_at;

/// With the interpreter's lock. What the check raises ends the work.
void ask_thread() {
  if (thread_check == nullptr || Clock::now() - asked_at < check_interval) return;
  const nb::object check = nb::steal(std::exchange(thread_check, nullptr));
  asked_at = Clock::now();
  struct Back {
    const nb::object& check;
    ~Back() { thread_check = check.inc_ref().ptr(); }
  } const back{check};
  check();
}

void run_checks() {
  const nb::gil_scoped_acquire acquire;
  ask_thread();
}

void run_handlers_and_checks() {
  run_signal_handlers();
  run_checks();
}

/// The check that was this thread's before.
nb::object set_thread_check(nb::object check) {
  if (!check.is_none() && !nb::isinstance<nb::callable>(check)) throw nb::type_error("a check is called, or None");
  nb::object before = thread_check == nullptr ? nb::none() : nb::steal(thread_check);
  thread_check = check.is_none() ? nullptr : check.release().ptr();
  asked_at = Clock::now();
  return before;
}

bool on_main_thread() noexcept { return PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed); }

}  // namespace

Unlocked::Asked::Asked() { ask_thread(); }

Unlocked::Unlocked() {
  if (on_main_thread()) {
    interruptible_.emplace(thread_check == nullptr ? run_signal_handlers : run_handlers_and_checks);
  } else if (thread_check != nullptr) {
    interruptible_.emplace(run_checks);
  }
}

void bind_interrupts(nb::module_& m) {
  m.def("set_thread_check", set_thread_check, nb::arg("check").none(),
        "Sets what this thread's calls of the library ask about ten times a second; what it raises ends them.");
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  platform::at_fork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

}  // namespace cyclotome::python
