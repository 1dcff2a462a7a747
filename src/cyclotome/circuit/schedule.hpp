// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/circuit.hpp"

namespace cyclotome::circuit {

/// Gates that need nothing of each other.
struct Stage {
  std::vector<Wire> sums, relinearizations;
};

/// What is computed at one level: products first, all at once, then stage after stage.
struct Layer {
  std::vector<Wire> products;  ///< but for those that are added up as they are made
  std::vector<Stage> stages;
  std::vector<Wire> factors;  ///< operands of its products, without repeats
  std::vector<Wire> earlier;  ///< wires of earlier layers that its sums take, without repeats and factors
};

/// The order in which a circuit is computed.
class Schedule {
 public:
  explicit Schedule(const Circuit& circuit);

  /// By number: layer d has the gates of depth d. Layer 0 has no products.
  const std::vector<Layer>& layers() const noexcept { return layers_; }
  /// How often a wire is used, by gates and outputs.
  const std::vector<std::uint32_t>& uses() const noexcept { return uses_; }
  /// A product that one sum of its own layer takes and nothing else: it is never kept.
  bool fused(Wire wire) const { return fused_[wire.number]; }

 private:
  std::vector<Layer> layers_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> fused_;
};

}  // namespace cyclotome::circuit
