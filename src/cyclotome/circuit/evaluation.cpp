// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/evaluation.hpp"

#include <algorithm>
#include <array>

#include "cyclotome/circuit/reports.hpp"
#include "cyclotome/circuit/schedule.hpp"
#include "cyclotome/circuit/sum_terms.hpp"
#include "cyclotome/circuit/team.hpp"
#include "cyclotome/circuit/values.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::circuit {

namespace {

/// What the terms of sums were read from: batches that stay until then, and wires that are used up afterwards.
struct Taken {
  std::vector<BatchPtr> batches;
  std::array<std::vector<Wire>, 3> wires;  // by role
};

/// Wires for each device.
using Shares = std::vector<std::vector<Wire>>;

/// Everything that one evaluation needs.
class Evaluation {
 public:
  Evaluation(const Circuit& circuit, std::span<const Algebra* const> algebras, const Manner& manner,
             const Progress& progress)
      : circuit_(circuit),
        algebras_(algebras),
        manner_(manner),
        schedule_(circuit, manner.sections, algebras.size()),
        values_(algebras, schedule_.uses()),
        team_(algebras.size(), manner.threads),
        reports_(circuit, progress) {
    if (manner.course != nullptr) course_ = *manner.course;
    course_.layers.resize(circuit.depth() + 1);
    course_.outputs.resize(circuit.outputs().size());
  }

  void hold_inputs(std::vector<BatchPtr> inputs);
  void run();
  Result result();

 private:
  void run_step(const Step& step);
  void bring_operands(const Step& step);
  void bring(std::span<const Use> uses, const Standing& standing, Values::Role role);
  Standing standing_of(std::span<const Use> uses, std::size_t level) const;
  std::size_t lowest_level(std::span<const Use> uses) const;

  void multiply(std::size_t device, std::span<const Wire> products);
  void add_up(std::size_t device, std::span<const Wire> sums);
  void add_alike(std::size_t device, std::span<const Wire> sums, const Signature& signature);
  void relinearize(std::size_t device, std::span<const Wire> wires);

  BatchPtr products_of(std::size_t device, std::span<const Wire> products, std::size_t group);
  Summands summands_of(std::size_t device, std::span<const Terms> rows, Kind kind, Taken& taken);
  void keep(std::size_t device, BatchPtr batch, std::span<const Wire> wires);
  void advance(std::size_t device, std::size_t steps);
  template <class Work>
  void in_pieces(std::size_t device, std::span<const Wire> wires, std::size_t items_each, const Work& work) const;
  template <class Work>
  void on_devices(std::span<const Wire> wires, const Work& work);
  void bring_near(const Shares& shares);
  void send_inputs(const Port& port, BatchPtr batch);
  Values::Role role_of(Wire gate, Wire operand) const;

  const Circuit& circuit_;
  std::span<const Algebra* const> algebras_;
  const Manner& manner_;
  Schedule schedule_;
  Values values_;
  Team team_;
  Course course_;
  Reports reports_;
  Values::Role earlier_role_ = Values::term;  // of its terms of earlier layers
};

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

void Evaluation::bring(std::span<const Use> uses, const Standing& standing, Values::Role role) {
  std::vector<std::vector<Values::Group>> work(algebras_.size());
  for (Values::Group& group : values_.away(uses, standing)) {
    const std::size_t most = algebras_[group.device]->items_at_once();
    for (std::size_t first = 0; first < group.uses.size(); first += most) {
      const auto begin = group.uses.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(most, group.uses.size() - first));
      work[group.device].push_back({group.device, {begin, end}});
    }
  }
  team_.each([&](std::size_t device) {
    for (const Values::Group& group : work[device]) {
      values_.bring(group, standing, role);
      check_interrupt();
    }
  });
}

/// What the layer's gates take: factors at its level, and terms of its sums with the correction factor of products.
void Evaluation::bring_operands(const Step& step) {
  Standing& factors = course_.layers[step.layer];
  if (manner_.course == nullptr && !step.factors.empty()) {
    factors = standing_of(step.factors, algebras_[0]->product_level(values_.batches(step.factors)));
  }
  reports_.enter(step.layer, factors.level);
  const std::uint64_t t = circuit_.modulus();
  const Standing terms{factors.level, factors.correction * factors.correction % t};
  if (terms == factors) {
    std::vector<Use> all = step.factors;
    all.insert(all.end(), step.earlier.begin(), step.earlier.end());
    merge_uses(all);
    earlier_role_ = Values::factor;
    return bring(all, factors, Values::factor);
  }
  earlier_role_ = Values::term;
  bring(step.factors, factors, Values::factor);
  bring(step.earlier, terms, Values::term);
}

/// What a gate reads an operand as.
Values::Role Evaluation::role_of(Wire gate, Wire operand) const {
  const Gate &of = circuit_.gate(gate), &what = circuit_.gate(operand);
  if (of.kind == GateKind::product) return Values::factor;
  return of.kind == GateKind::sum && what.depth < of.depth ? earlier_role_ : Values::own;
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

/// Counts what was done. Only the calling thread, which computes for the first device, tells of it.
void Evaluation::advance(std::size_t device, std::size_t steps) {
  check_interrupt();
  reports_.advance(steps);
  if (device == 0) reports_.tell();
}

/// Pieces that hold no more items than the algebra wants at once, where each wire takes so many.
template <class Work>
void Evaluation::in_pieces(std::size_t device, std::span<const Wire> wires, std::size_t items_each,
                           const Work& work) const {
  const std::size_t most = algebras_[device]->items_at_once();
  const std::size_t size = std::max<std::size_t>(1, most / std::max<std::size_t>(1, items_each));
  for (std::size_t first = 0; first < wires.size(); first += size) {
    work(wires.subspan(first, std::min(size, wires.size() - first)));
  }
}

void Evaluation::keep(std::size_t device, BatchPtr batch, std::span<const Wire> wires) {
  reports_.keep(algebras_[device]->facts(*batch));
  values_.hold(std::move(batch), device, wires);
}

/// The factors' products, in this order, each `group` neighbours added up.
BatchPtr Evaluation::products_of(std::size_t device, std::span<const Wire> products, std::size_t group) {
  std::array<std::vector<Wire>, 2> sides;
  for (const Wire product : products) {
    for (std::size_t i = 0; i < 2; ++i) sides[i].push_back(circuit_.operands(product)[i].wire);
  }
  const Values::Places first = values_.places(sides[0], Values::factor, device),
                       second = values_.places(sides[1], Values::factor, device);
  BatchPtr result = algebras_[device]->sum_products(first.places, second.places, group);
  for (const std::vector<Wire>& side : sides) values_.use(side, Values::factor);
  advance(device, products.size());
  return result;
}

void Evaluation::multiply(std::size_t device, std::span<const Wire> products) {
  in_pieces(device, products, 1,
            [&](std::span<const Wire> piece) { keep(device, products_of(device, piece, 1), piece); });
}

void Evaluation::relinearize(std::size_t device, std::span<const Wire> wires) {
  const std::shared_ptr<const void> keys = algebras_[device]->keys_at_hand();
  in_pieces(device, wires, 1, [&](std::span<const Wire> piece) {
    std::vector<Wire> operands;
    for (const Wire wire : piece) operands.push_back(circuit_.operands(wire)[0].wire);
    keep(device, algebras_[device]->relinearize(*values_.take(operands, Values::own, device)), piece);
    advance(device, piece.size());
  });
}

void Evaluation::add_up(std::size_t device, std::span<const Wire> sums) {
  for (const auto& [signature, members] : sums_alike(circuit_, schedule_, sums)) add_alike(device, members, signature);
}

/// Each row's terms of one kind: values as they are, or what is computed of them.
Summands Evaluation::summands_of(std::size_t device, std::span<const Terms> rows, Kind kind, Taken& taken) {
  const Algebra& algebra = *algebras_[device];
  std::vector<Wire> wires;
  std::vector<std::int64_t> factors;
  for (const Terms& row : rows) {
    for (const Term& term : row[kind]) {
      wires.push_back(term.wire);
      factors.push_back(term.factor);
    }
  }
  const Values::Role role = kind == earlier ? earlier_role_ : Values::own;
  const std::size_t group = rows[0][kind].size();
  const bool scaled = std::ranges::any_of(factors, [](std::int64_t f) { return f != 1; });
  if (!scaled && kind != fused) {
    Values::Places lying = values_.places(wires, role, device);
    taken.wires[role].insert(taken.wires[role].end(), wires.begin(), wires.end());
    taken.batches.insert(taken.batches.end(), lying.batches.begin(), lying.batches.end());
    return {std::move(lying.places), group};
  }
  BatchPtr batch = kind == fused ? products_of(device, wires, scaled ? 1 : group) : values_.take(wires, role, device);
  if (scaled) {
    batch = algebra.scale(*batch, factors);
    if (group > 1) batch = algebra.sum_groups(*batch, group);
  }
  Summands computed{{}, 1};
  for (std::size_t i = 0; i < rows.size(); ++i) computed.places.push_back({batch.get(), i});
  taken.batches.push_back(std::move(batch));
  return computed;
}

void Evaluation::add_alike(std::size_t device, std::span<const Wire> sums, const Signature& signature) {
  const std::size_t most = *std::ranges::max_element(signature);
  in_pieces(device, sums, most, [&](std::span<const Wire> piece) {
    std::vector<Terms> rows;
    std::vector<std::int64_t> constants;
    for (const Wire sum : piece) {
      rows.push_back(terms_of(circuit_, schedule_, sum));
      constants.push_back(circuit_.gate(sum).constant);
    }
    std::vector<Summands> summands;
    Taken taken;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (signature[kind] > 0) summands.push_back(summands_of(device, rows, static_cast<Kind>(kind), taken));
    }
    BatchPtr total = algebras_[device]->sum(summands, constants);
    for (const auto role : {Values::own, Values::factor, Values::term}) values_.use(taken.wires[role], role);
    keep(device, std::move(total), piece);
    check_interrupt();
  });
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
    bring(uses, course_.outputs[i], Values::factor);
    values_.bring_near(wires, Values::factor, 0);
    result.outputs.back() = values_.take(wires, Values::factor, 0);
  }
  result.layers = reports_.take();
  result.course = std::move(course_);
  return result;
}

}  // namespace

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
