// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/scheme/bfv/context.hpp"

namespace cyclotome::bfv {

/// Operands: message (secret), peaks of the noise, ciphertext of so many parts in that domain, s.
ExecutionPtr decryption(const Context& context, rlwe::Level level, rlwe::PlainIndex plain, std::size_t parts,
                        Domain domain);
/// The last part of it. Operands: message (secret), peaks of the noise, phase.
ExecutionPtr rounding(const Context& context, rlwe::Level level, rlwe::PlainIndex plain);

}  // namespace cyclotome::bfv
