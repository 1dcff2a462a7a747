// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::scheme {

/// What becomes of the plaintext in a sum of a ciphertext and a plaintext.
enum class PlainSum : bool { added, subtracted };

/// What programs of this kind differ in.
struct PlainSumShape {
  PlainSum sum;
  rlwe::Level level;
  rlwe::PlainIndex plain;
  std::size_t parts;  ///< of the ciphertext
  Domain domain;      ///< of the ciphertext, and of the sum
  bool one_c, one_m;  ///< it is one for all items
};

/// out = c + m or c - m: m, as `lift` takes it to the ciphertext's primes, meets part 0. Operands: out, c, m.
program::ProgramPtr plain_sum_program(const rlwe::Context& context, const PlainSumShape& shape,
                                      const BaseConversion& lift);

}  // namespace cyclotome::scheme
