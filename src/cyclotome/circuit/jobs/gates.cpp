// SPDX-License-Identifier: Apache-2.0
// What one device computes of a layer's gates, in pieces of as many items as its algebra wants at once.
#include <algorithm>

#include "cyclotome/circuit/running/running_evaluation.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::circuit {

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
    const BatchPtr products = values_.take(operands, Values::own, device);
    const std::size_t level = course_.relinearized[circuit_.gate(piece[0]).depth].level;
    keep(device, algebras_[device]->relinearize_to(*products, level), piece);
    advance(device, piece.size());
  });
}

void Evaluation::add_up(std::size_t device, std::span<const Wire> sums) {
  for (const auto& [signature, members] : sums_alike(circuit_, schedule_, sums)) add_alike(device, members, signature);
}

/// Each row's terms of one kind: values as they are, or what is computed of them.
Summands Evaluation::summands_of(std::size_t device, std::span<const Terms> rows, Kind kind, Values::Role earlier_role,
                                 Taken& taken) {
  const Algebra& algebra = *algebras_[device];
  std::vector<Wire> wires;
  std::vector<std::int64_t> factors;
  for (const Terms& row : rows) {
    for (const Term& term : row[kind]) {
      wires.push_back(term.wire);
      factors.push_back(term.factor);
    }
  }
  const Values::Role role = kind == earlier ? earlier_role : Values::own;
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
    const bool is_late = schedule_.late(piece[0]) && schedule_.drops(circuit_.gate(piece[0]).depth);
    const Values::Role earlier_role = is_late ? late_role_ : earlier_role_;
    std::vector<Summands> summands;
    Taken taken;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (signature[kind] == 0) continue;
      summands.push_back(summands_of(device, rows, static_cast<Kind>(kind), earlier_role, taken));
    }
    BatchPtr total = algebras_[device]->sum(summands, constants);
    for (std::size_t role = 0; role < Values::roles; ++role) {
      values_.use(taken.wires[role], static_cast<Values::Role>(role));
    }
    keep(device, std::move(total), piece);
    check_interrupt();
  });
}

}  // namespace cyclotome::circuit
