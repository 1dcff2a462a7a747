// SPDX-License-Identifier: Apache-2.0
#pragma once

// Circuits over plain values, and numbers as their wires: what the tests of circuits share.

#include <cstdint>
#include <vector>

#include "cyclotome/circuit/plain_algebra.hpp"
#include "cyclotome/circuit/running/evaluation.hpp"

namespace cyclotome::check {

using Residues = std::vector<std::uint64_t>;

/// Bits of a number, the least significant first.
inline void append_bits(Residues& out, std::uint64_t value, std::size_t bits) {
  for (std::size_t i = 0; i < bits; ++i) out.push_back(value >> i & 1);
}

/// Numbers from words of `width` bits, of which each number takes those for `bits` bits.
inline Residues numbers_of(const Residues& words, std::size_t bits, std::size_t width) {
  const std::size_t each = (bits + width - 1) / width;
  Residues result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % each == 0) result.push_back(0);
    result.back() |= words[i] << (i % each * width);
  }
  return result;
}

/// Bits of a number, the most significant first, as PRINCE counts them.
inline Residues state_of(std::uint64_t value) {
  Residues bits;
  for (int i = 63; i >= 0; --i) bits.push_back(value >> i & 1);
  return bits;
}
inline std::uint64_t word_of(const Residues& bits) {
  std::uint64_t value = 0;
  for (const std::uint64_t bit : bits) value = value << 1 | bit;
  return value;
}

/// A circuit's outputs for plain inputs, one lane each.
inline std::vector<Residues> run_plain(const circuit::Circuit& circuit, const std::vector<Residues>& inputs) {
  const circuit::PlainAlgebra algebra(circuit.modulus());
  std::vector<circuit::BatchPtr> batches;
  for (const Residues& input : inputs) batches.push_back(algebra.batch(input));
  const circuit::Result result = evaluate(circuit, algebra, batches);
  std::vector<Residues> outputs;
  for (const auto& batch : result.outputs) {
    outputs.push_back(batch == nullptr ? Residues() : circuit::PlainAlgebra::values(*batch));
  }
  return outputs;
}

/// The same by definition, gate after gate: no schedule, no batches.
inline std::vector<Residues> by_definition(const circuit::Circuit& circuit, const std::vector<Residues>& inputs) {
  const auto t = static_cast<std::int64_t>(circuit.modulus());
  std::vector<std::int64_t> values(circuit.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = 0; j < inputs[i].size(); ++j) {
      values[circuit.inputs()[i].wires[j].number] = static_cast<std::int64_t>(inputs[i][j]);
    }
  }
  for (std::uint32_t number = 0; number < circuit.size(); ++number) {
    const circuit::Gate& gate = circuit.gate({number});
    const auto operands = circuit.operands({number});
    if (gate.kind == circuit::GateKind::input) continue;
    std::int64_t value = gate.kind == circuit::GateKind::product ? 1 : gate.constant;
    for (const circuit::Term& term : operands) {
      const std::int64_t operand = values[term.wire.number];
      value = (gate.kind == circuit::GateKind::product ? value * operand : value + term.factor * operand) % t;
    }
    values[number] = (value + t) % t;
  }
  std::vector<Residues> outputs;
  for (const circuit::Port& port : circuit.outputs()) {
    outputs.emplace_back();
    for (const circuit::Wire wire : port.wires)
      outputs.back().push_back(static_cast<std::uint64_t>(values[wire.number]));
  }
  return outputs;
}

}  // namespace cyclotome::check
