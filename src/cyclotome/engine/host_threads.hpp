// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace cyclotome {

/// What an engine offers whose memory this processor addresses: its threads, for work that is no verb.
class HostThreads {
 public:
  virtual ~HostThreads() = default;
  /// How many compute at once, the caller included.
  virtual std::size_t threads() const noexcept = 0;
  /// body(i) for i = 0 ... count - 1, each once, in any order and on any thread. Rethrows the first exception of a
  /// body. Asks whether to go on (math/interrupt.hpp) between iterations.
  virtual void in_parallel(std::size_t count, const std::function<void(std::size_t)>& body) = 0;
};

}  // namespace cyclotome
