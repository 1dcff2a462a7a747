// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

// Ciphertexts on their way to fewer primes and back, in coefficients, as parts of programs and as programs.
namespace cyclotome::rlwe {

/// The first limbs of a slice over a level's primes.
program::Slice first_limbs(const Context& context, const program::Slice& x, Level level);
/// Zeros from some limb of a slice over a level's primes on, up to another (exclusive).
void clear_between(program::Builder& b, const Context& context, const program::Slice& x, std::size_t first,
                   std::size_t last);

/// out = x without the primes that out does not have, rounded; x was raised from `from` primes, or has no more. Where
/// those are fewer than out's, the limbs of out beyond are zero and not written.
void lower(program::Builder& b, const Context& context, const program::Slice& out, const program::Slice& x, Level from);
/// out = x times the primes that only out has. The limbs of these are zero and not written. x may be the first limbs of
/// out.
void raise(program::Builder& b, const Context& context, const program::Slice& out, const program::Slice& x);

/// Either way, between two levels. Operands: out, x.
ExecutionPtr lowering(const Context& context, Level level, Level from, Level to, std::size_t parts);
ExecutionPtr raising(const Context& context, Level from, Level to, std::size_t parts);

}  // namespace cyclotome::rlwe
