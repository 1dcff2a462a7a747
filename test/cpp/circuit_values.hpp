// SPDX-License-Identifier: Apache-2.0
#pragma once

// Circuits over plain values, and numbers as their wires: what the tests of circuits share.

#include <cstdint>
#include <vector>

#include "cyclotome/circuit/evaluation.hpp"
#include "cyclotome/circuit/plain_algebra.hpp"

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

}  // namespace cyclotome::check
