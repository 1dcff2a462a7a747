// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "bindings.hpp"
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

bool on_main_thread() noexcept { return PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed); }

}  // namespace

Unlocked::Unlocked() {
  if (on_main_thread()) interruptible_.emplace(run_signal_handlers);
}

void bind_interrupts(nb::module_&) {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  platform::at_fork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

}  // namespace cyclotome::python
