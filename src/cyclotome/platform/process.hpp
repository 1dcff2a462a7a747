// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cyclotome::platform {

/// Cores that the system lets this process run on; 1 where it does not tell.
std::size_t usable_cores() noexcept;

/// A number of this process, which its children do not share.
int process_id() noexcept;

/// Calls `prepare` before a fork, then `parent` and `child` in each; null for nothing. They stay for ever, so whoever
/// registers them registers once. Nothing is called where processes do not fork.
void at_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

}  // namespace cyclotome::platform
