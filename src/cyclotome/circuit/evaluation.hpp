// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/circuit/reports.hpp"

namespace cyclotome::circuit {

/// What each layer's factors, and each output, are brought to. Residues depend on it and on nothing else that an
/// evaluation is free to choose: whoever follows the same course has the same results.
struct Course {
  std::vector<Standing> layers, outputs;
};

/// How a circuit is computed: results are the same.
struct Manner {
  std::size_t sections = 1;        ///< see Schedule: more of them hold fewer values at one time
  const Course* course = nullptr;  ///< of an evaluation before; null, which takes one section: found on the way
  bool threads = true;             ///< whether devices work at the same time
};

struct Result {
  std::vector<BatchPtr> outputs;  ///< one for each output port, on the first device; null for one without wires
  std::vector<LayerReport> layers;
  Course course;
};

/// Computes a circuit, layer by layer, section after section: operands are brought to the level and the correction
/// factor of the layer, then all its products are computed together, in pieces of algebra.items_at_once(), and so are
/// sums and relinearisations. inputs: a batch for each input port, with an item for each wire, on the first device.
/// Values are let go after their last use.
///
/// algebras: one for each device, with values of the same kind: gates that need nothing of each other are shared out
/// among them, and values copied to where they are needed. `progress` is called on the calling thread.
///
/// Throws ArgumentError for inputs that don't fit, no algebra, and sections without a course; MismatchError for an
/// algebra with another modulus, and what the algebras and `progress` throw.
Result evaluate(const Circuit& circuit, std::span<const Algebra* const> algebras, std::vector<BatchPtr> inputs,
                const Manner& manner = {}, const Progress& progress = {});
/// On one device.
Result evaluate(const Circuit& circuit, const Algebra& algebra, std::vector<BatchPtr> inputs,
                const Progress& progress = {});

}  // namespace cyclotome::circuit
