// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/circuit.hpp"

namespace cyclotome::circuit {

/// Gates that need nothing of each other.
struct Stage {
  std::vector<Wire> sums, relinearizations;
};

/// A wire, and how often some gates use it.
struct Use {
  Wire wire;
  std::uint32_t times;
};

/// Uses of the same wire as one, ordered by wire.
void merge_uses(std::vector<Use>& uses);

/// Gates of one section and one depth: products first, all at once, then stage after stage.
struct Step {
  std::size_t layer;           ///< their depth
  std::vector<Wire> products;  ///< but for those that are added up as they are made
  std::vector<Stage> stages;
  std::vector<Use> factors;  ///< operands of its products, without repeats
  std::vector<Use> earlier;  ///< wires of earlier layers that its sums take, without repeats
  std::vector<Use> late;     ///< those that its sums of what was relinearised in the same layer take
};

/// The order in which a circuit is computed. Gates are cut into sections, in the order in which they were written, and
/// a section is finished before the next one begins: what one number, or pair, takes is written together, so that wires
/// live shortly. In a section, all gates of one depth are computed together. With one section that is layer after
/// layer.
class Schedule {
 public:
  explicit Schedule(const Circuit& circuit, std::size_t sections = 1, std::size_t devices = 1);

  /// Every depth from 0 on has a step if there is one section, also those without gates.
  const std::vector<Step>& steps() const noexcept { return steps_; }
  /// How often a wire is used, by gates and outputs.
  const std::vector<std::uint32_t>& uses() const noexcept { return uses_; }
  /// A product that one sum of its own layer takes and nothing else: it is never kept.
  bool fused(Wire wire) const { return fused_[wire.number]; }
  /// Whether it is relinearised, or a sum of what was, in its own layer, and may be at a lower level than its products.
  bool late(Wire wire) const { return late_[wire.number]; }
  /// Whether a layer's relinearisations may deliver at a lower level: no sum adds to them what is at that of products.
  bool drops(std::size_t layer) const { return !mixed_[layer]; }
  /// The device that computes a gate. Those that are computed at once are shared out evenly, neighbours together.
  std::size_t device(Wire wire) const { return device_[wire.number]; }
  /// Where most gates that use an input are, so that it is brought there once.
  std::size_t home(Wire input) const { return device_[input.number]; }

 private:
  void find_late(const Circuit& circuit);
  void place_gates(const Circuit& circuit, std::size_t sections);
  void share_out(const Circuit& circuit, std::size_t devices);
  void share_evenly(const Circuit& circuit, std::span<const Wire> gates, std::size_t devices);
  void place_inputs(const Circuit& circuit, std::size_t devices);

  std::vector<Step> steps_;
  std::vector<std::uint32_t> uses_, device_;
  std::vector<bool> fused_, late_, mixed_;
};

}  // namespace cyclotome::circuit
