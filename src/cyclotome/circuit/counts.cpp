// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/counts.hpp"

namespace cyclotome::circuit {

std::vector<Counts> counts_by_layer(const Circuit& circuit) {
  std::vector<Counts> layers(circuit.depth() + 1);
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    const Gate& gate = circuit.gate({number});
    Counts& layer = layers[gate.depth];
    layer.products += gate.kind == GateKind::product;
    layer.relinearizations += gate.kind == GateKind::relinearization;
    if (gate.kind == GateKind::sum) layer.additions += gate.count - 1;
  }
  return layers;
}

Counts counts_of(const Circuit& circuit) {
  Counts all;
  for (const Counts& layer : counts_by_layer(circuit)) {
    all.products += layer.products;
    all.relinearizations += layer.relinearizations;
    all.additions += layer.additions;
  }
  return all;
}

}  // namespace cyclotome::circuit
