// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/counts.hpp"

namespace cyclotome::circuit {

/// What came of one layer. Public numbers only.
struct LayerReport {
  std::size_t layer;  ///< number; of those without products 0
  std::size_t level;  ///< that it was computed at
  Counts counts;
  std::size_t operations;  ///< batches that its products and relinearisations were computed in
  double log2_noise;       ///< of the noisiest result
  double headroom;         ///< that the noisiest result has, in bits
};

/// Steps done, steps in all (products and relinearisations), and the layer: "layer 3 of 24".
using Progress = std::function<void(std::size_t done, std::size_t total, const std::string& what)>;

struct Result {
  std::vector<BatchPtr> outputs;  ///< one for each output port; null for one without wires
  std::vector<LayerReport> layers;
};

/// Computes a circuit, layer by layer: operands are brought to the level of the layer once, then all products that
/// depend on nothing but earlier layers are computed together, in pieces of algebra.items_at_once(), and so are sums
/// and relinearisations. inputs: a batch for each input port, with an item for each wire. Values are let go after their
/// last use.
///
/// Throws ArgumentError for inputs that don't fit, MismatchError for an algebra with another modulus, and what the
/// algebra and `progress` throw.
Result evaluate(const Circuit& circuit, const Algebra& algebra, std::vector<BatchPtr> inputs,
                const Progress& progress = {});

}  // namespace cyclotome::circuit
