// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::rlwe {

/// out = c m, a ciphertext of `parts` parts at a level times a plaintext. Operands: out, c, m. one_c, one_m: it is one
/// for all items.
program::ProgramPtr plain_product_program(const Context& context, Level level, PlainIndex plain, std::size_t parts,
                                          bool one_c, bool one_m);

/// out = m as transforms over all ciphertext primes. Operands: out, m.
program::ProgramPtr preparation_program(const Context& context, PlainIndex plain);
/// out = c m, where m are transforms over the level's primes. Operands: out, c, m.
program::ProgramPtr prepared_product_program(const Context& context, Level level, std::size_t parts, bool one_c,
                                             bool one_m);

}  // namespace cyclotome::rlwe
