// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/dry/asked.hpp"
#include "cyclotome/engine/poly.hpp"

namespace cyclotome {

/// Work that was asked for, to be done again on an engine that computes, and timed there. Its operands are zeros, since
/// no engine's time depends on residues, in as many places as they had, one after another, so that what came from
/// memory there comes from memory here. Long work is done for fewer items, and what is large in fewer places.
class Repeat {
 public:
  /// bytes: of all operands, more than caches hold; one item of each is taken whatever it is. Throws ArgumentError for
  /// work that is not done again (`Asked::verb`).
  Repeat(Asked asked, EnginePtr engine, std::size_t bytes);

  /// How often one run would have to be done for all that was asked: calls, times items for each that is repeated.
  double times() const noexcept { return times_; }
  /// Nanoseconds of so many runs in a row, by the engine's WorkClock.
  std::int64_t run(std::size_t repetitions);

 private:
  void once();

  Asked asked_;
  EnginePtr engine_;
  ExecutionPtr execution_;
  double times_ = 0;
  std::vector<std::vector<PolyArray>> operands_;  ///< by memory, and place
  std::size_t turn_ = 0;
};

}  // namespace cyclotome
