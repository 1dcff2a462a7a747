// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/schedule.hpp"

#include <algorithm>

namespace cyclotome::circuit {

namespace {

/// How often each wire is used, and whether it is a product of which one sum of its layer is the only use.
void count_uses(const Circuit& circuit, std::vector<std::uint32_t>& uses, std::vector<bool>& fused) {
  const auto size = static_cast<std::uint32_t>(circuit.size());
  for (std::uint32_t number = 0; number < size; ++number) {
    const Gate& gate = circuit.gate({number});
    for (const Term& term : circuit.operands({number})) {
      ++uses[term.wire.number];
      const Gate& operand = circuit.gate(term.wire);
      fused[term.wire.number] =
          gate.kind == GateKind::sum && operand.kind == GateKind::product && operand.depth == gate.depth;
    }
  }
  for (const Port& port : circuit.outputs()) {
    for (const Wire wire : port.wires) ++uses[wire.number];
  }
  for (std::uint32_t number = 0; number < size; ++number) fused[number] = fused[number] && uses[number] == 1;
}

void sort_unique(std::vector<Wire>& wires) {
  std::ranges::sort(wires);
  const auto repeats = std::ranges::unique(wires);
  wires.erase(repeats.begin(), repeats.end());
}

}  // namespace

Schedule::Schedule(const Circuit& circuit)
    : layers_(circuit.depth() + 1), uses_(circuit.size()), fused_(circuit.size()) {
  count_uses(circuit, uses_, fused_);
  std::vector<std::uint32_t> stage(circuit.size());  // products and what comes from earlier layers: 0
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    const Wire wire{number};
    const Gate& gate = circuit.gate(wire);
    Layer& layer = layers_[gate.depth];
    if (gate.kind == GateKind::product) {
      if (!fused(wire)) layer.products.push_back(wire);
      for (const Term& term : circuit.operands(wire)) layer.factors.push_back(term.wire);
      continue;
    }
    if (gate.kind == GateKind::input) continue;
    for (const Term& term : circuit.operands(wire)) {
      if (circuit.gate(term.wire).depth == gate.depth) {
        stage[number] = std::max(stage[number], stage[term.wire.number] + 1);
      } else {
        layer.earlier.push_back(term.wire);
      }
    }
    stage[number] = std::max(stage[number], 1U);
    if (layer.stages.size() < stage[number]) layer.stages.resize(stage[number]);
    Stage& own = layer.stages[stage[number] - 1];
    (gate.kind == GateKind::sum ? own.sums : own.relinearizations).push_back(wire);
  }
  for (Layer& layer : layers_) {
    sort_unique(layer.factors);
    sort_unique(layer.earlier);
    std::erase_if(layer.earlier, [&](Wire wire) { return std::ranges::binary_search(layer.factors, wire); });
  }
}

}  // namespace cyclotome::circuit
