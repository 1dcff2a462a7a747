// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/circuit/reports.hpp"

namespace cyclotome::circuit {

/// What each layer's factors, what is relinearised in it, and each output are brought to. Residues depend on it and on
/// nothing else that an evaluation is free to choose: whoever follows the same course has the same results.
struct Course {
  /// For each of them.
  std::vector<Standing> layers, relinearized, outputs;
};

/// How a circuit is computed: results are the same.
struct Manner {
  std::size_t sections = 1;        ///< see Schedule: more of them hold fewer values at one time
  const Course* course = nullptr;  ///< of an evaluation before; null, which takes one section: found on the way
  /// Without a course: one that was found before, at whose levels of the next layer relinearisations deliver where
  /// nothing keeps them at their own, so that one division serves for both; null: all at their own.
  const Course* ahead = nullptr;
  bool threads = true;  ///< whether devices work at the same time
};

/// What comes of an evaluation.
struct Result {
  std::vector<BatchPtr> outputs;    ///< one for each output port, on the first device; null for one without wires
  std::vector<LayerReport> layers;  ///< what each layer took
  Course course;                    ///< that was followed
};

}  // namespace cyclotome::circuit
