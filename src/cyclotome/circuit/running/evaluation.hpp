// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/circuit/running/course.hpp"

namespace cyclotome::circuit {

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
