// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/circuit.hpp"
#include "cyclotome/circuit/counts.hpp"

namespace cyclotome::circuit {

/// What came of one layer. Public numbers only.
struct LayerReport {
  std::size_t layer;  ///< number; of those without products 0
  std::size_t level;  ///< that it was computed at
  /// What was computed.
  Counts counts;
  std::size_t operations;  ///< batches that its products and relinearisations were computed in
  double log2_noise;       ///< of the noisiest result
  double headroom;         ///< that the noisiest result has, in bits
};

/// Steps done, steps in all (products and relinearisations), and the layer: "layer 3 of 24".
using Progress = std::function<void(std::size_t done, std::size_t total, const std::string& what)>;

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
  /// What came of the layers; for once.
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
