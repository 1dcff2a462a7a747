// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/scheme/ckks/context.hpp"

namespace cyclotome::ckks {

/// Who a product's second factor is.
enum class Factor : std::uint8_t { other, same };

/// Operands: out (2 parts, one level lower), a, b (not of a square), key. The product, relinearised and rescaled. A
/// batch of one serves all items.
ExecutionPtr product(const Context& context, Level level, Factor second, bool one_a, bool one_b);
/// Operands: out (2 parts, one level lower), c.
ExecutionPtr rescaling(const Context& context, Level level);
/// Operands: message (secret), peaks of the phase, phase.
ExecutionPtr reduction(const Context& context, Level level);

}  // namespace cyclotome::ckks
