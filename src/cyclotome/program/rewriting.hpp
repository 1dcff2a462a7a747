// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "cyclotome/program/builder.hpp"

namespace cyclotome::program {

/// Writes a composite to a builder: from what it shares with the rest, in the order in which it was named.
using CompositeWriter = std::function<void(Builder&, std::span<const Slice> outs, std::span<const Slice> ins)>;

/// Whether a composite is, operation by operation, what `write` writes for operands of its shapes. An engine asks it
/// before it takes code of its own for the composite, since a name alone says nothing: with the constants that it read
/// out of the composite, it writes down what its code computes, and compares.
bool is_written_by(const Program& program, const Composite& composite, const CompositeWriter& write);

}  // namespace cyclotome::program
