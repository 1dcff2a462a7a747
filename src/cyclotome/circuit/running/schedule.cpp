// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/running/schedule.hpp"

#include <algorithm>
#include <map>

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

/// The section that each gate is in: equal numbers of gates. A fused product is in that of its sum.
std::vector<std::size_t> sections_of(const Circuit& circuit, std::size_t sections, const std::vector<bool>& fused) {
  std::vector<std::size_t> section(circuit.size());
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    section[number] = number * sections / circuit.size();
    if (circuit.gate({number}).kind != GateKind::sum) continue;
    for (const Term& term : circuit.operands({number})) {
      if (fused[term.wire.number]) section[term.wire.number] = section[number];
    }
  }
  return section;
}

}  // namespace

void merge_uses(std::vector<Use>& uses) {
  std::ranges::sort(uses, {}, &Use::wire);
  std::vector<Use> merged;
  for (const Use& use : uses) {
    if (!merged.empty() && merged.back().wire == use.wire) {
      merged.back().times += use.times;
    } else {
      merged.push_back(use);
    }
  }
  uses = std::move(merged);
}

Schedule::Schedule(const Circuit& circuit, std::size_t sections, std::size_t devices)
    : uses_(circuit.size()),
      device_(circuit.size()),
      fused_(circuit.size()),
      late_(circuit.size()),
      mixed_(circuit.depth() + 1) {
  count_uses(circuit, uses_, fused_);
  find_late(circuit);
  place_gates(circuit, sections);
  if (devices > 1) share_out(circuit, devices);
}

void Schedule::find_late(const Circuit& circuit) {
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    const Gate& gate = circuit.gate({number});
    late_[number] = gate.kind == GateKind::relinearization;
    if (gate.kind != GateKind::sum) continue;
    bool is_late = false, is_early = false;
    for (const Term& term : circuit.operands({number})) {
      if (circuit.gate(term.wire).depth < gate.depth) continue;
      (late_[term.wire.number] ? is_late : is_early) = true;
    }
    late_[number] = is_late;
    if (is_late && is_early) mixed_[gate.depth] = true;
  }
}

void Schedule::place_gates(const Circuit& circuit, std::size_t sections) {
  const std::vector<std::size_t> section = sections_of(circuit, sections, fused_);
  std::map<std::pair<std::size_t, std::size_t>, Step> steps;  // by section and depth
  if (sections == 1) {
    for (std::size_t depth = 0; depth <= circuit.depth(); ++depth) steps[{0, depth}];
  }
  std::vector<std::uint32_t> stage(circuit.size());  // products and what comes from earlier layers: 0
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    const Wire wire{number};
    const Gate& gate = circuit.gate(wire);
    if (gate.kind == GateKind::input) continue;
    Step& step = steps[{section[number], gate.depth}];
    if (gate.kind == GateKind::product) {
      if (!fused(wire)) step.products.push_back(wire);
      for (const Term& term : circuit.operands(wire)) step.factors.push_back({term.wire, 1});
      continue;
    }
    for (const Term& term : circuit.operands(wire)) {
      if (circuit.gate(term.wire).depth == gate.depth) {
        stage[number] = std::max(stage[number], stage[term.wire.number] + 1);
      } else {
        (late(wire) && drops(gate.depth) ? step.late : step.earlier).push_back({term.wire, 1});
      }
    }
    stage[number] = std::max(stage[number], 1U);
    if (step.stages.size() < stage[number]) step.stages.resize(stage[number]);
    Stage& own = step.stages[stage[number] - 1];
    (gate.kind == GateKind::sum ? own.sums : own.relinearizations).push_back(wire);
  }
  for (auto& [place, step] : steps) {
    step.layer = place.second;
    merge_uses(step.factors);
    merge_uses(step.earlier);
    merge_uses(step.late);
    steps_.push_back(std::move(step));
  }
}

/// What is computed at once is waited for at once: each kind of gate is shared out by itself.
void Schedule::share_out(const Circuit& circuit, std::size_t devices) {
  for (const Step& step : steps_) {
    share_evenly(circuit, step.products, devices);
    for (const Stage& stage : step.stages) {
      share_evenly(circuit, stage.sums, devices);
      share_evenly(circuit, stage.relinearizations, devices);
    }
  }
  place_inputs(circuit, devices);
}

void Schedule::share_evenly(const Circuit& circuit, std::span<const Wire> gates, std::size_t devices) {
  constexpr std::size_t product = 8;  // times what a term of a sum takes
  const auto cost = [&](Wire wire) -> std::size_t {
    if (circuit.gate(wire).kind != GateKind::sum) return 1;
    std::size_t sum = 1;
    for (const Term& term : circuit.operands(wire)) sum += fused(term.wire) ? product : 1;
    return sum;
  };
  std::size_t all = 0, before = 0;
  for (const Wire wire : gates) all += cost(wire);
  for (const Wire wire : gates) {
    device_[wire.number] = static_cast<std::uint32_t>(before * devices / all);
    before += cost(wire);
  }
}

void Schedule::place_inputs(const Circuit& circuit, std::size_t devices) {
  std::vector<std::vector<std::uint32_t>> uses(circuit.size());  // by input and device
  for (const Port& port : circuit.inputs()) {
    for (const Wire wire : port.wires) uses[wire.number].resize(devices);
  }
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    for (const Term& term : circuit.operands({number})) {
      if (!uses[term.wire.number].empty()) ++uses[term.wire.number][device_[number]];
    }
  }
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    if (uses[number].empty()) continue;
    device_[number] = static_cast<std::uint32_t>(std::ranges::max_element(uses[number]) - uses[number].begin());
  }
}

}  // namespace cyclotome::circuit
