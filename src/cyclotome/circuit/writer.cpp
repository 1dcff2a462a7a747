// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/writer.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome::circuit {

Writer::Writer(std::string name, std::uint64_t modulus) {
  if (modulus >> 31 != 0 || !is_prime(modulus)) {
    throw ArgumentError(message("a circuit's values are modulo 2 or an odd prime below 2^31, not ", modulus));
  }
  circuit_.name_ = std::move(name);
  circuit_.modulus_ = modulus;
}

/// The residue nearest to 0; of 2 it is 0 or 1.
std::int64_t Writer::centred(std::int64_t value) const {
  const auto t = static_cast<std::int64_t>(modulus());
  const std::int64_t residue = (value % t + t) % t;
  return residue > t / 2 ? residue - t : residue;
}

void Writer::require(const char* what, Wire wire) const {
  if (wire.number >= circuit_.size()) {
    throw ArgumentError(message(what, ": there is no wire ", wire.number, " among ", circuit_.size()));
  }
}

Wire Writer::add(Gate gate, std::span<const Term> operands) {
  gate.first = static_cast<std::uint32_t>(circuit_.terms_.size());
  gate.count = static_cast<std::uint32_t>(operands.size());
  circuit_.terms_.insert(circuit_.terms_.end(), operands.begin(), operands.end());
  circuit_.gates_.push_back(gate);
  return {static_cast<std::uint32_t>(circuit_.size() - 1)};
}

std::vector<Wire> Writer::input(const std::string& name, std::size_t count) {
  Port port{name, {}};
  for (std::size_t i = 0; i < count; ++i) port.wires.push_back(add({GateKind::input, false, 0}, {}));
  circuit_.inputs_.push_back(port);
  return port.wires;
}

/// One term for each wire, in the wires' order, without those that vanish modulo t.
std::vector<Term> Writer::merged(std::span<const Term> terms) const {
  std::vector<Term> sorted(terms.begin(), terms.end());
  std::ranges::stable_sort(sorted, {}, &Term::wire);
  std::vector<Term> result;
  for (const Term& term : sorted) {
    const std::int64_t factor = centred(term.factor);
    if (!result.empty() && result.back().wire == term.wire) {
      result.back().factor = centred(result.back().factor + factor);
    } else {
      result.push_back({term.wire, factor});
    }
  }
  std::erase_if(result, [](const Term& term) { return term.factor == 0; });
  return result;
}

Wire Writer::sum(std::span<const Term> terms, std::int64_t constant, Shallow shallow_terms) {
  for (const Term& term : terms) require("sum", term.wire);
  std::vector<Term> rest = merged(terms);
  if (rest.empty()) throw ArgumentError("sum: nothing but a constant is left; a wire depends on an input");
  Gate gate{GateKind::sum, false, 0};
  gate.constant = centred(constant);
  for (const Term& term : rest) gate.depth = std::max(gate.depth, depth(term.wire));
  // Not by std::ranges, here and elsewhere where a range is returned: Clang 14 does not compile GCC 12's.
  const auto shallow =
      std::stable_partition(rest.begin(), rest.end(), [&](const Term& t) { return depth(t.wire) == gate.depth; });
  if (rest.end() - shallow > 1 && shallow_terms == Shallow::added_first) {
    const Wire before = sum(std::span<const Term>(shallow, rest.end()));
    rest.erase(shallow, rest.end());
    rest.push_back({before});
  }
  if (rest.size() == 1 && rest[0].factor == 1 && gate.constant == 0) return rest[0].wire;
  for (const Term& term : rest) gate.three_parts |= circuit_.gate(term.wire).three_parts;
  return add(gate, rest);
}

Wire Writer::product(Wire a, Wire b, std::uint32_t least_depth) {
  for (const Wire wire : {a, b}) {
    require("product", wire);
    if (circuit_.gate(wire).three_parts) {
      throw ArgumentError(message("product: wire ", wire.number, " has three parts; relinearise it first"));
    }
  }
  const Term operands[] = {{a}, {b}};
  return add({GateKind::product, true, std::max({depth(a) + 1, depth(b) + 1, least_depth})}, operands);
}

Wire Writer::relinearized(Wire a) {
  require("relinearized", a);
  const Gate gate = circuit_.gate(a);
  if (!gate.three_parts) return a;
  const Term operand[] = {{a}};
  return add({GateKind::relinearization, false, gate.depth}, operand);
}

void Writer::output(const std::string& name, std::vector<Wire> wires) {
  for (const Wire wire : wires) require("output", wire);
  circuit_.outputs_.push_back({name, std::move(wires)});
}

Circuit Writer::finish() {
  static std::atomic<std::uint64_t> last = 0;
  const Circuit all = std::exchange(circuit_, Circuit());
  std::vector<bool> needed(all.size());
  for (const Port& port : all.outputs_) {
    for (const Wire wire : port.wires) {
      needed[wire.number] = true;
      if (!all.gate(wire).three_parts) continue;
      throw ArgumentError(message("output ", port.name, ": wire ", wire.number, " is not relinearised"));
    }
  }
  for (const Port& port : all.inputs_) {
    for (const Wire wire : port.wires) needed[wire.number] = true;
  }
  for (auto number = static_cast<std::uint32_t>(all.size()); number-- > 0;) {
    if (!needed[number]) continue;
    for (const Term& term : all.operands({number})) needed[term.wire.number] = true;
  }
  std::vector<Wire> moved(all.size());
  circuit_.id_ = ++last;
  circuit_.name_ = all.name_;
  circuit_.modulus_ = all.modulus_;
  for (std::uint32_t number = 0; number < all.size(); ++number) {
    if (!needed[number]) continue;
    std::vector<Term> operands;
    for (const Term& term : all.operands({number})) operands.push_back({moved[term.wire.number], term.factor});
    moved[number] = add(all.gate({number}), operands);
    circuit_.depth_ = std::max(circuit_.depth_, all.gate({number}).depth);
  }
  const auto renumbered = [&](const std::vector<Port>& ports) {
    std::vector<Port> result = ports;
    for (Port& port : result) {
      for (Wire& wire : port.wires) wire = moved[wire.number];
    }
    return result;
  };
  circuit_.inputs_ = renumbered(all.inputs_);
  circuit_.outputs_ = renumbered(all.outputs_);
  return std::move(circuit_);
}

}  // namespace cyclotome::circuit
