// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "cyclotome/circuit/evaluation.hpp"

namespace cyclotome::circuit {

/// What is told of an evaluation: of its layers afterwards, and of its steps while it runs. Devices report at the same
/// time; `progress` is called on the thread that calls `tell`.
class Reports {
 public:
  Reports(const Circuit& circuit, const Progress& progress);

  /// What comes now is of this layer, computed at this level.
  void enter(std::size_t layer, std::size_t level);
  /// A result was kept.
  void keep(const Facts& facts);
  /// Products, or relinearisations, were computed in one batch.
  void advance(std::size_t steps);
  /// Calls `progress` if steps were done since the last time.
  void tell();
  std::vector<LayerReport> take() { return std::move(layers_); }

 private:
  const Progress& progress_;
  std::vector<LayerReport> layers_;
  std::size_t layer_ = 0;
  std::mutex mutex_;
  std::atomic<std::size_t> done_ = 0;
  std::size_t told_ = 0, total_ = 0;
};

}  // namespace cyclotome::circuit
