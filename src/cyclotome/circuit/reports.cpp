// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/reports.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

Reports::Reports(const Circuit& circuit, const Progress& progress) : progress_(progress) {
  for (const Counts& counts : counts_by_layer(circuit)) {
    layers_.push_back({layers_.size(), 0, counts, 0, -1e9, 1e9});
    total_ += counts.products + counts.relinearizations;
  }
}

void Reports::enter(std::size_t layer, std::size_t level) {
  layer_ = layer;
  layers_[layer].level = level;
}

void Reports::keep(const Facts& facts) {
  const std::lock_guard lock(mutex_);
  LayerReport& report = layers_[layer_];
  report.log2_noise = std::max(report.log2_noise, facts.log2_noise);
  report.headroom = std::min(report.headroom, facts.headroom);
}

void Reports::advance(std::size_t steps) {
  const std::lock_guard lock(mutex_);
  ++layers_[layer_].operations;
  done_ += steps;
}

void Reports::tell() {
  const std::size_t done = done_;
  if (done == told_) return;
  told_ = done;
  if (progress_) progress_(done, total_, message("layer ", layer_, " of ", layers_.size() - 1));
}

}  // namespace cyclotome::circuit
