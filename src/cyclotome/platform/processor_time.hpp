// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cyclotome::platform {

/// Nanoseconds for which the calling thread has computed, whatever else ran on its core meanwhile; to 100 ns at best
/// under Windows. A negative number where the system does not tell.
std::int64_t thread_nanoseconds() noexcept;

}  // namespace cyclotome::platform
