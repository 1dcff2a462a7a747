// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::rlwe {

/// What products of ciphertexts and plaintexts differ in.
struct PlainProductShape {
  Level level;
  std::size_t parts;  ///< of the ciphertext
  Domain domain;      ///< of the ciphertext
  bool one_c, one_m;  ///< it is one for all items
};

/// out = c m, transformed, a ciphertext times a plaintext. Operands: out, c, m.
program::ProgramPtr plain_product_program(const Context& context, PlainIndex plain, const PlainProductShape& shape);

/// out = m as transforms over all ciphertext primes. Operands: out, m.
program::ProgramPtr preparation_program(const Context& context, PlainIndex plain);
/// The same where m are transforms over the level's primes. Operands: out, c, m.
program::ProgramPtr prepared_product_program(const Context& context, const PlainProductShape& shape);

}  // namespace cyclotome::rlwe
