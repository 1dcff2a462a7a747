// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/running/evaluation.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "cyclotome/circuit/running/running_evaluation.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::circuit {

namespace {

/// Levels that each wire is needed at, by a course, falling; nothing where steps come in the order of layers.
std::vector<std::vector<std::size_t>> stops_of(const Circuit& circuit, const Schedule& schedule, const Manner& manner) {
  if (manner.sections == 1) return {};
  std::vector<std::set<std::size_t, std::greater<>>> levels(circuit.size());
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    const Gate& gate = circuit.gate({number});
    const bool is_late = schedule.late({number}) && schedule.drops(gate.depth);
    const Standing& at = (is_late ? manner.course->relinearized : manner.course->layers).at(gate.depth);
    for (const Term& term : circuit.operands({number})) {
      if (circuit.gate(term.wire).depth < gate.depth) levels[term.wire.number].insert(at.level);
    }
  }
  std::vector<std::vector<std::size_t>> stops;
  for (const auto& each : levels) stops.emplace_back(each.begin(), each.end());
  return stops;
}

}  // namespace

Evaluation::Evaluation(const Circuit& circuit, std::span<const Algebra* const> algebras, const Manner& manner,
                       const Progress& progress)
    : circuit_(circuit),
      algebras_(algebras),
      manner_(manner),
      schedule_(circuit, manner.sections, algebras.size()),
      values_(algebras, schedule_.uses(), stops_of(circuit, schedule_, manner)),
      team_(algebras.size(), manner.threads),
      reports_(circuit, progress) {
  if (manner.course != nullptr) course_ = *manner.course;
  course_.layers.resize(circuit.depth() + 1);
  course_.relinearized.resize(circuit.depth() + 1);
  course_.outputs.resize(circuit.outputs().size());
}

void Evaluation::hold_inputs(std::vector<BatchPtr> inputs) {
  const std::vector<Port>& ports = circuit_.inputs();
  if (inputs.size() != ports.size()) {
    throw ArgumentError(message(circuit_.name(), " takes ", ports.size(), " inputs, not ", inputs.size()));
  }
  std::vector<Use> used;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::size_t wires = ports[i].wires.size();
    const Facts facts = inputs[i] == nullptr ? Facts{} : algebras_[0]->facts(*inputs[i]);
    if (facts.items != wires || (wires > 0 && facts.parts != 2)) {
      throw ArgumentError(message(circuit_.name(), ": input ", ports[i].name, " takes ", wires,
                                  " values of 2 parts, not ", facts.items, " of ", facts.parts));
    }
    if (wires > 0) send_inputs(ports[i], std::move(inputs[i]));
    for (const Wire wire : ports[i].wires) {
      if (schedule_.uses()[wire.number] > 0) used.push_back({wire, schedule_.uses()[wire.number]});
    }
  }
  // Inputs may have been encrypted, or computed with, at several levels.
  if (manner_.course == nullptr) course_.layers[0] = standing_of(used, lowest_level(used));
  reports_.enter(0, course_.layers[0].level);
  bring(used, course_.layers[0], Values::own);
}

/// Each wire goes to where it is used most.
void Evaluation::send_inputs(const Port& port, BatchPtr batch) {
  const std::vector<std::uint32_t>& uses = schedule_.uses();
  values_.hold(batch, 0, port.wires);
  for (std::size_t device = 1; device < algebras_.size(); ++device) {
    std::vector<Wire> sent;
    std::vector<Place> places;
    for (std::size_t i = 0; i < port.wires.size(); ++i) {
      if (schedule_.home(port.wires[i]) != device || uses[port.wires[i].number] == 0) continue;
      sent.push_back(port.wires[i]);
      places.push_back({batch.get(), i});
    }
    if (!sent.empty()) values_.move(algebras_[device]->copied(*algebras_[0]->gather(places)), device, sent);
  }
}

std::size_t Evaluation::lowest_level(std::span<const Use> uses) const {
  std::size_t lowest = ~std::size_t{0};
  for (const Batch* const batch : values_.batches(uses)) lowest = std::min(lowest, algebras_[0]->facts(*batch).level);
  return lowest;
}

Standing Evaluation::standing_of(std::span<const Use> uses, std::size_t level) const {
  return {level, algebras_[0]->common_correction(values_.batches(uses), level)};
}

void Evaluation::bring(std::span<const Use> uses, const Standing& standing, Values::Role role, bool passing) {
  std::vector<std::vector<Values::Group>> work(algebras_.size());
  for (Values::Group& group : values_.away(uses, standing)) {
    const std::size_t most = algebras_[group.device]->items_at_once();
    for (std::size_t first = 0; first < group.uses.size(); first += most) {
      const auto begin = group.uses.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(most, group.uses.size() - first));
      work[group.device].push_back({group.device, group.way, {begin, end}});
    }
  }
  team_.each([&](std::size_t device) {
    for (const Values::Group& group : work[device]) {
      values_.bring(group, standing, role, passing);
      check_interrupt();
    }
  });
}

/// The layer's level and correction factors, found on the way.
void Evaluation::find_standings(const Step& step) {
  Standing &factors = course_.layers[step.layer], &after = course_.relinearized[step.layer];
  if (!step.factors.empty()) {
    factors = standing_of(step.factors, std::min(last_, algebras_[0]->product_level(values_.batches(step.factors))));
  }
  after = {factors.level, factors.correction * factors.correction % circuit_.modulus()};
  if (manner_.ahead != nullptr && step.layer < circuit_.depth() && schedule_.drops(step.layer)) {
    const std::size_t next = manner_.ahead->layers[step.layer + 1].level;
    if (next > 0 && next < after.level) after = {next, algebras_[0]->correction_below(after, next)};
  }
  if (after.level > 0) last_ = after.level;
}

/// What the layer's gates take: factors at its level, terms of its sums with the correction factor of products, and
/// those of sums of what was relinearised as that is.
void Evaluation::bring_operands(const Step& step) {
  if (manner_.course == nullptr) find_standings(step);
  const Standing factors = course_.layers[step.layer], after = course_.relinearized[step.layer];
  reports_.enter(step.layer, factors.level);
  const Standing terms{factors.level, factors.correction * factors.correction % circuit_.modulus()};
  earlier_role_ = terms == factors ? Values::factor : Values::term;
  late_role_ = after == factors ? Values::factor : after == terms ? Values::term : Values::late;
  std::array<std::vector<Use>, Values::roles> uses;
  uses[Values::factor] = step.factors;
  const auto append = [&](Values::Role role, const std::vector<Use>& more) {
    uses[role].insert(uses[role].end(), more.begin(), more.end());
  };
  append(earlier_role_, step.earlier);
  append(late_role_, step.late);
  for (const Values::Role role : {Values::factor, Values::term, Values::late}) {
    merge_uses(uses[role]);
    bring(uses[role], role == Values::factor ? factors : role == Values::term ? terms : after, role);
    values_.pin(uses[role], role);
  }
}

/// What a gate reads an operand as.
Values::Role Evaluation::role_of(Wire gate, Wire operand) const {
  const Gate &of = circuit_.gate(gate), &what = circuit_.gate(operand);
  if (of.kind == GateKind::product) return Values::factor;
  if (of.kind != GateKind::sum || what.depth == of.depth) return Values::own;
  return schedule_.late(gate) && schedule_.drops(of.depth) ? late_role_ : earlier_role_;
}

/// Copies what the gates of each device read of the others.
void Evaluation::bring_near(const Shares& shares) {
  if (algebras_.size() == 1) return;
  team_.each([&](std::size_t device) {
    std::array<std::vector<Wire>, Values::roles> needed;
    const auto need = [&](Wire gate) {
      for (const Term& term : circuit_.operands(gate)) needed[role_of(gate, term.wire)].push_back(term.wire);
    };
    for (const Wire gate : shares[device]) {
      const bool is_sum = circuit_.gate(gate).kind == GateKind::sum;
      for (const Term& term : circuit_.operands(gate)) {
        if (is_sum && schedule_.fused(term.wire)) {
          need(term.wire);
        } else {
          needed[role_of(gate, term.wire)].push_back(term.wire);
        }
      }
    }
    for (std::size_t role = 0; role < Values::roles; ++role) {
      values_.bring_near(needed[role], static_cast<Values::Role>(role), device);
    }
  });
}

/// Work on each device that has some of the wires.
template <class Work>
void Evaluation::on_devices(std::span<const Wire> wires, const Work& work) {
  if (wires.empty()) return;
  Shares shares(algebras_.size());
  for (const Wire wire : wires) shares[schedule_.device(wire)].push_back(wire);
  bring_near(shares);
  team_.each([&](std::size_t device) {
    if (!shares[device].empty()) work(device, std::span<const Wire>(shares[device]));
  });
  reports_.tell();
}

void Evaluation::run_step(const Step& step) {
  bring_operands(step);
  on_devices(step.products, [&](std::size_t device, std::span<const Wire> wires) { multiply(device, wires); });
  for (const Stage& stage : step.stages) {
    on_devices(stage.sums, [&](std::size_t device, std::span<const Wire> wires) { add_up(device, wires); });
    on_devices(stage.relinearizations,
               [&](std::size_t device, std::span<const Wire> wires) { relinearize(device, wires); });
  }
}

void Evaluation::run() {
  for (const Step& step : schedule_.steps()) {
    run_step(step);
    values_.forget_near();
  }
}

Result Evaluation::result() {
  Result result;
  for (std::size_t i = 0; i < circuit_.outputs().size(); ++i) {
    const std::vector<Wire>& wires = circuit_.outputs()[i].wires;
    result.outputs.push_back(nullptr);
    if (wires.empty()) continue;
    std::vector<Use> uses;
    for (const Wire wire : wires) uses.push_back({wire, 1});
    merge_uses(uses);
    if (manner_.course == nullptr) course_.outputs[i] = standing_of(uses, lowest_level(uses));
    bring(uses, course_.outputs[i], Values::factor, true);
    values_.bring_near(wires, Values::factor, 0);
    result.outputs.back() = values_.take(wires, Values::factor, 0);
  }
  result.layers = reports_.take();
  result.course = std::move(course_);
  return result;
}

Result evaluate(const Circuit& circuit, std::span<const Algebra* const> algebras, std::vector<BatchPtr> inputs,
                const Manner& manner, const Progress& progress) {
  if (algebras.empty()) throw ArgumentError(message(circuit.name(), ": no algebra to compute in"));
  if (manner.sections == 0 || (manner.sections > 1 && manner.course == nullptr)) {
    throw ArgumentError(message(circuit.name(), " in ", manner.sections,
                                " sections: it takes one, or the course of an evaluation before"));
  }
  for (const Algebra* const algebra : algebras) {
    if (algebra->modulus() == circuit.modulus()) continue;
    throw MismatchError(message(circuit.name(), " computes modulo ", circuit.modulus(),
                                ", and was given values modulo ", algebra->modulus(),
                                "; use parameters with that plaintext modulus"));
  }
  Evaluation evaluation(circuit, algebras, manner, progress);
  evaluation.hold_inputs(std::move(inputs));
  evaluation.run();
  return evaluation.result();
}

Result evaluate(const Circuit& circuit, const Algebra& algebra, std::vector<BatchPtr> inputs,
                const Progress& progress) {
  const Algebra* const one[] = {&algebra};
  return evaluate(circuit, one, std::move(inputs), {}, progress);
}

}  // namespace cyclotome::circuit
