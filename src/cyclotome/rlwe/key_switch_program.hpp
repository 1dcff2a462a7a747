// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

// Key switching as programs, and as a part of others. Every scheme's ciphertexts are switched alike.
namespace cyclotome::rlwe {

/// A key for all primes, as an input of a program.
program::Slice key_input(program::Builder& b, const Context& context);

/// out (2 parts over a level's primes, in `domain`) = addend (1 or 2 parts in that domain) plus an encryption of c w,
/// from c (1 part, either domain) and the key for w. c is over the level's primes; or, in coefficients and where
/// results need no factor, over those of the first digits only, if its residues modulo the others are 0: the result has
/// the bits that these would give.
void switch_key(program::Builder& b, const program::Slice& out, const program::Slice& c, const program::Slice& key,
                const KeySwitch& key_switch, Domain domain, const std::optional<program::Slice>& addend = std::nullopt);

/// Operands: out (2 parts), c (3 parts), key.
ExecutionPtr relinearization(const Context& context, Level level, PlainIndex plain);
/// Operands: out (2 parts), c (2 parts), key.
ExecutionPtr rekeying(const Context& context, Level level, PlainIndex plain);
/// Operands: out (2 parts), c (2 parts), key.
ExecutionPtr galois_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element);

// Hoisting: what several turns of one ciphertext have in common, once.
/// Operands: digits (over the key ring of the level, one part for each, transforms), part 1 of c.
ExecutionPtr hoisted_digits(const Context& context, Level level, PlainIndex plain);
/// Operands: out (2 parts), part 0 of c, digits, key.
ExecutionPtr hoisted_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element);

}  // namespace cyclotome::rlwe
