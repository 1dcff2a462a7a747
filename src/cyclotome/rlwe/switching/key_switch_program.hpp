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

/// Where a key switch is computed, and of what.
struct SwitchShape {
  PlainIndex plain;
  Level level;  ///< of c and the result
  Level from;   ///< c is 0 modulo the level's other primes (Ciphertext::raised_from)
  Level at;     ///< it is brought to these primes before and raised again after; `level` itself, or key_switch_level
};

/// What relinearising a ciphertext of this noise takes, and leaves.
struct Relinearization {
  Relinearization(const Context& context, PlainIndex plain, Level level, const NoiseBound& before);
  Level at;          ///< where it is computed
  NoiseBound noise;  ///< of the result
};

/// out (2 parts over a level's primes, the first `shape.level`) = c (3 parts) relinearised. c is over these primes, or
/// over the first `shape.from` of them and not raised yet.
void relinearize_at(program::Builder& b, const Context& context, const program::Slice& out, const program::Slice& c,
                    const program::Slice& key, const SwitchShape& shape);

/// Operands: out (2 parts), c (3 parts), key.
ExecutionPtr relinearization(const Context& context, const SwitchShape& shape);
/// Operands: out (2 parts), c (2 parts), key.
ExecutionPtr rekeying(const Context& context, const SwitchShape& shape);
/// Operands: out (2 parts), c (2 parts), key.
ExecutionPtr galois_turn(const Context& context, const SwitchShape& shape, std::uint64_t element);

// Hoisting: what several turns of one ciphertext have in common, once.
/// Operands: digits (over the key ring of the level, one part for each, transforms), part 1 of c.
ExecutionPtr hoisted_digits(const Context& context, Level level, PlainIndex plain);
/// Operands: out (2 parts), part 0 of c, digits, key.
ExecutionPtr hoisted_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element);

}  // namespace cyclotome::rlwe
