// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cyclotome/program/program.hpp"

namespace cyclotome {

/// What is known of one part of a program's output without computing it.
struct OutputPart {
  bool is_zero = false;
  /// The operand and the part of it that it is a copy of.
  struct Source {
    std::size_t operand, part;
  };
  std::optional<Source> copy_of = std::nullopt;
};

/// Runs a program on what is known of its operands: which parts of which inputs are zero, by operand and part. Zeros
/// go through sums, products, transforms, conversions and automorphisms, and copies keep where they come from; sampled
/// polynomials are never zero.
/// The outputs' parts, by operand and part; empty lists for inputs.
std::vector<std::vector<OutputPart>> flow_of(const program::Program& program,
                                             const std::function<bool(std::size_t operand, std::size_t part)>& is_zero);

}  // namespace cyclotome
