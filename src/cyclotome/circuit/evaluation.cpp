// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/evaluation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cyclotome/circuit/schedule.hpp"
#include "cyclotome/circuit/values.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::circuit {

namespace {

/// Kinds of a sum's terms: those of a kind are gathered together.
enum Kind : std::size_t { earlier, two_parts, three_parts, fused, kinds };

/// The terms of a sum by kind.
using Terms = std::array<std::vector<Term>, kinds>;
/// How many there are of each. Sums of one signature are computed together.
using Signature = std::array<std::size_t, kinds + 1>;

/// Everything that one evaluation needs.
class Evaluation {
 public:
  Evaluation(const Circuit& circuit, const Algebra& algebra, const Progress& progress)
      : circuit_(circuit),
        algebra_(algebra),
        progress_(progress),
        schedule_(circuit),
        values_(algebra, schedule_.uses()) {
    const Counts all = counts_of(circuit);
    total_ = all.products + all.relinearizations;
  }

  void hold_inputs(std::vector<BatchPtr> inputs);
  std::vector<LayerReport> run();
  std::vector<BatchPtr> outputs();

 private:
  void run_layer(const Layer& layer);
  void multiply(std::span<const Wire> products);
  void add_up(std::span<const Wire> sums);
  void add_alike(std::span<const Wire> sums, const Signature& signature);
  void relinearize(std::span<const Wire> wires);

  Terms terms_of(Wire sum) const;
  BatchPtr products_of(std::span<const Wire> products, std::size_t group);
  Summands summands_of(std::span<const Terms> rows, Kind kind, std::vector<BatchPtr>& made, std::vector<Wire>& read);
  void keep(BatchPtr batch, std::span<const Wire> wires);
  void advance(std::size_t steps);
  template <class Work>
  void in_pieces(std::span<const Wire> wires, std::size_t items_each, const Work& work) const;

  const Circuit& circuit_;
  const Algebra& algebra_;
  const Progress& progress_;
  Schedule schedule_;
  Values values_;
  LayerReport report_{};
  std::size_t done_ = 0, total_ = 0;
};

void Evaluation::hold_inputs(std::vector<BatchPtr> inputs) {
  const std::vector<Port>& ports = circuit_.inputs();
  if (inputs.size() != ports.size()) {
    throw ArgumentError(message(circuit_.name(), " takes ", ports.size(), " inputs, not ", inputs.size()));
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::size_t wires = ports[i].wires.size();
    const Facts facts = inputs[i] == nullptr ? Facts{} : algebra_.facts(*inputs[i]);
    if (facts.items != wires || (wires > 0 && facts.parts != 2)) {
      throw ArgumentError(message(circuit_.name(), ": input ", ports[i].name, " takes ", wires,
                                  " values of 2 parts, not ", facts.items, " of ", facts.parts));
    }
    if (wires > 0) values_.hold(std::move(inputs[i]), ports[i].wires);
  }
  // Inputs may have been encrypted, or computed with, at several levels.
  std::vector<Wire> used;
  for (const Port& port : ports) {
    for (const Wire wire : port.wires) {
      if (schedule_.uses()[wire.number] > 0) used.push_back(wire);
    }
  }
  report_.level = values_.lowest_level(used);
  values_.lower(used, report_.level);
}

void Evaluation::advance(std::size_t steps) {
  check_interrupt();
  done_ += steps;
  ++report_.operations;
  if (progress_) progress_(done_, total_, message("layer ", report_.layer, " of ", circuit_.depth()));
}

/// Pieces that hold no more items than the algebra wants at once, where each wire takes so many.
template <class Work>
void Evaluation::in_pieces(std::span<const Wire> wires, std::size_t items_each, const Work& work) const {
  const std::size_t size = std::max<std::size_t>(1, algebra_.items_at_once() / std::max<std::size_t>(1, items_each));
  for (std::size_t first = 0; first < wires.size(); first += size) {
    work(wires.subspan(first, std::min(size, wires.size() - first)));
  }
}

void Evaluation::keep(BatchPtr batch, std::span<const Wire> wires) {
  const Facts facts = algebra_.facts(*batch);
  report_.log2_noise = std::max(report_.log2_noise, facts.log2_noise);
  report_.headroom = std::min(report_.headroom, facts.headroom);
  values_.hold(std::move(batch), wires);
}

/// The factors' products, in this order, each `group` neighbours added up.
BatchPtr Evaluation::products_of(std::span<const Wire> products, std::size_t group) {
  std::array<std::vector<Wire>, 2> sides;
  for (const Wire product : products) {
    for (std::size_t i = 0; i < 2; ++i) sides[i].push_back(circuit_.operands(product)[i].wire);
  }
  BatchPtr result = algebra_.sum_products(values_.places(sides[0]), values_.places(sides[1]), group);
  for (const std::vector<Wire>& side : sides) values_.use(side);
  advance(products.size());
  return result;
}

void Evaluation::multiply(std::span<const Wire> products) {
  in_pieces(products, 1, [&](std::span<const Wire> piece) { keep(products_of(piece, 1), piece); });
}

void Evaluation::relinearize(std::span<const Wire> wires) {
  in_pieces(wires, 1, [&](std::span<const Wire> piece) {
    std::vector<Wire> operands;
    for (const Wire wire : piece) operands.push_back(circuit_.operands(wire)[0].wire);
    keep(algebra_.relinearize(*values_.take(operands)), piece);
    advance(piece.size());
  });
}

Terms Evaluation::terms_of(Wire sum) const {
  Terms terms;
  for (const Term& term : circuit_.operands(sum)) {
    const Gate& gate = circuit_.gate(term.wire);
    const Kind kind = gate.depth < circuit_.gate(sum).depth ? earlier
                      : schedule_.fused(term.wire)          ? fused
                      : gate.three_parts                    ? three_parts
                                                            : two_parts;
    terms[kind].push_back(term);
  }
  return terms;
}

void Evaluation::add_up(std::span<const Wire> sums) {
  std::map<Signature, std::vector<Wire>> alike;
  for (const Wire sum : sums) {
    const Terms terms = terms_of(sum);
    Signature signature{};
    for (std::size_t kind = 0; kind < kinds; ++kind) signature[kind] = terms[kind].size();
    // Earlier terms may have two or three parts.
    for (const Term& term : terms[earlier]) signature[kinds] += circuit_.gate(term.wire).three_parts;
    alike[signature].push_back(sum);
  }
  for (const auto& [signature, members] : alike) add_alike(members, signature);
}

/// Each row's terms of one kind: values as they are, or what is computed of them and goes to `made`. read: the former,
/// to be used later.
Summands Evaluation::summands_of(std::span<const Terms> rows, Kind kind, std::vector<BatchPtr>& made,
                                 std::vector<Wire>& read) {
  std::vector<Wire> wires;
  std::vector<std::int64_t> factors;
  for (const Terms& row : rows) {
    for (const Term& term : row[kind]) {
      wires.push_back(term.wire);
      factors.push_back(term.factor);
    }
  }
  const std::size_t group = rows[0][kind].size();
  const bool scaled = std::ranges::any_of(factors, [](std::int64_t f) { return f != 1; });
  if (!scaled && kind != fused) {
    read.insert(read.end(), wires.begin(), wires.end());
    return {values_.places(wires), group};
  }
  BatchPtr batch = kind == fused ? products_of(wires, scaled ? 1 : group) : values_.take(wires);
  if (scaled) {
    batch = algebra_.scale(*batch, factors);
    if (group > 1) batch = algebra_.sum_groups(*batch, group);
  }
  made.push_back(batch);
  Summands computed{{}, 1};
  for (std::size_t i = 0; i < rows.size(); ++i) computed.places.push_back({batch.get(), i});
  return computed;
}

void Evaluation::add_alike(std::span<const Wire> sums, const Signature& signature) {
  const std::size_t most = *std::ranges::max_element(signature);
  in_pieces(sums, most, [&](std::span<const Wire> piece) {
    std::vector<Terms> rows;
    std::vector<std::int64_t> constants;
    for (const Wire sum : piece) {
      rows.push_back(terms_of(sum));
      constants.push_back(circuit_.gate(sum).constant);
    }
    std::vector<Summands> summands;
    std::vector<BatchPtr> made;
    std::vector<Wire> read;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (signature[kind] > 0) summands.push_back(summands_of(rows, static_cast<Kind>(kind), made, read));
    }
    BatchPtr total = algebra_.sum(summands, constants);
    values_.use(read);
    keep(std::move(total), piece);
    check_interrupt();
  });
}

void Evaluation::run_layer(const Layer& layer) {
  if (!layer.factors.empty()) report_.level = algebra_.product_level(values_.batches(layer.factors));
  values_.lower(layer.factors, report_.level);
  values_.lower(layer.earlier, report_.level);
  multiply(layer.products);
  for (const Stage& stage : layer.stages) {
    add_up(stage.sums);
    relinearize(stage.relinearizations);
  }
}

std::vector<LayerReport> Evaluation::run() {
  std::vector<LayerReport> reports;
  const std::vector<Counts> counts = counts_by_layer(circuit_);
  for (std::size_t number = 0; number < counts.size(); ++number) {
    report_ = {number, report_.level, counts[number], 0, -1e9, 1e9};
    run_layer(schedule_.layers()[number]);
    reports.push_back(report_);
  }
  return reports;
}

std::vector<BatchPtr> Evaluation::outputs() {
  std::vector<BatchPtr> results;
  for (const Port& port : circuit_.outputs()) {
    if (port.wires.empty()) {
      results.push_back(nullptr);
      continue;
    }
    values_.lower(port.wires, values_.lowest_level(port.wires));
    results.push_back(values_.take(port.wires));
  }
  return results;
}

}  // namespace

Result evaluate(const Circuit& circuit, const Algebra& algebra, std::vector<BatchPtr> inputs,
                const Progress& progress) {
  if (algebra.modulus() != circuit.modulus()) {
    throw MismatchError(message(circuit.name(), " computes modulo ", circuit.modulus(),
                                ", and was given values modulo ", algebra.modulus(),
                                "; use parameters with that plaintext modulus"));
  }
  Evaluation evaluation(circuit, algebra, progress);
  evaluation.hold_inputs(std::move(inputs));
  Result result;
  result.layers = evaluation.run();
  result.outputs = evaluation.outputs();
  return result;
}

}  // namespace cyclotome::circuit
