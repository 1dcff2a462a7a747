// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cyclotome/engine/dry/traces.hpp"
#include "cyclotome/program/program.hpp"

namespace cyclotome {

/// Runs a program on the traces of its operands, limb by limb, as its verbs say: sums, differences, products and small
/// multiples of polynomials have those of their traces, transforms and copies keep them, and of conversions the trace
/// depends on what was converted. So programs that compute the same polynomials in other ways, as a product with an
/// operand that was transformed beforehand, end with the same traces; and zeros are found.
class Flow {
 public:
  /// program: outlives this.
  explicit Flow(const program::Program& program);

  using Given = std::function<Trace(std::size_t operand, std::size_t item, std::size_t part)>;
  /// The outputs' parts for one item of those that a program is run for, by operand and part; empty lists for inputs.
  /// given: of an input's part. Its item: of a value that has several by itself, as the digits of a key; else 0.
  /// fresh: of polynomials that are sampled.
  std::vector<std::vector<Trace>> run(const Given& given, const std::function<Trace()>& fresh) const;

 private:
  /// Where an operation's window lies among the traces of all values.
  struct Window {
    std::size_t first, item_stride, part_stride;  // strides are 0 where one stands for all
  };
  struct Step {
    std::uint64_t conversion;  ///< what is computed; 0: no conversion
    Window out, a, b;
  };
  class Run;
  Window window_of(const program::Place& place) const;

  const program::Program& program_;
  std::vector<std::size_t> starts_;  ///< of each value's traces, which go by item, part and limb; and of the end
  std::vector<Step> steps_;          ///< by operation
};

}  // namespace cyclotome
