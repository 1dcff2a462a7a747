// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::rlwe {

/// out = c m, a ciphertext of `parts` parts at a level times a plaintext. Operands: out, c, m. one_c, one_m: it is one
/// for all items.
program::ProgramPtr plain_product_program(const Context& context, Level level, PlainIndex plain, std::size_t parts,
                                          bool one_c, bool one_m);

}  // namespace cyclotome::rlwe
