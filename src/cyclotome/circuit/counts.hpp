// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/circuit.hpp"

namespace cyclotome::circuit {

/// What a layer, or a circuit, computes. A gate of a given depth belongs to the layer of this number; layer 0 has no
/// products.
struct Counts {
  /// Of two wires.
  std::size_t products = 0;
  /// Of wires of three parts.
  std::size_t relinearizations = 0;
  std::size_t additions = 0;  ///< of two wires each; constants are not counted
};

/// By layer, from 0 to the circuit's depth.
std::vector<Counts> counts_by_layer(const Circuit& circuit);
/// Of all layers.
Counts counts_of(const Circuit& circuit);

}  // namespace cyclotome::circuit
