// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/dry/dry_engine.hpp"
#include "cyclotome/platform/processor_time.hpp"

namespace cyclotome {

/// While it lives its thread keeps account; one within another adds nothing. Clocks are read only where work is
/// remembered, since that costs more than much of what they would time.
class DryEngine::Accounting {
 public:
  explicit Accounting(const DryEngine& engine) noexcept : engine_(engine), outer_(depth_++ == 0) {
    if (outer_ && engine_.remembers_) start_ = platform::thread_nanoseconds();
  }
  ~Accounting() {
    --depth_;
    if (start_ >= 0) engine_.own_nanoseconds_ += platform::thread_nanoseconds() - start_;
  }
  Accounting(const Accounting&) = delete;
  Accounting& operator=(const Accounting&) = delete;

 private:
  static inline thread_local int depth_ = 0;

  const DryEngine& engine_;
  bool outer_;
  std::int64_t start_ = -1;
};

}  // namespace cyclotome
