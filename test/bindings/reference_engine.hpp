// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/forwarding_engine.hpp"

namespace cyclotome::testing {

/// An engine that computes no composite at once: it lends its verbs from the CPU engine, one after another, and
/// inherits what is made of them. The natives of other engines must equal it bit for bit.
class ReferenceEngine final : public ForwardingEngine {
 public:
  /// largest_tile: batch items that programs work on at a time at most; 0: as every engine does.
  explicit ReferenceEngine(std::size_t threads, std::size_t largest_tile = 0)
      : ForwardingEngine(CpuEngine::create(threads)), largest_tile_(largest_tile) {}

  std::string name() const override { return "reference"; }
  std::size_t most_items() const noexcept override { return largest_tile_ == 0 ? Engine::most_items() : largest_tile_; }

 protected:
  bool computes_in(const Ring& ring) const noexcept override { return ring.limb_words() >= ring.degree(); }

 private:
  std::size_t largest_tile_;
};

}  // namespace cyclotome::testing
