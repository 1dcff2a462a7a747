// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

// Ciphertexts extended to P Q, where sums of rotated ciphertexts times plaintexts are made before anything is divided
// by P (double hoisting: Bossuat, Mouchet, Troncoso-Pastoriza and Hubaux, 2021). An extended ciphertext is P times what
// it stands for and an error: 2 parts over the key ring of a level, transforms.
namespace cyclotome::rlwe {

/// P and the primes of a level.
RingPtr extended_ring(const Context& context, Level level);
/// Operands: out (1 part over P and the primes of a level, a transform), m (1 part over Z_t).
ExecutionPtr extended_plaintext(const Context& context, Level level, PlainIndex plain);
/// Operands: out (extended), c (2 parts over the level's primes).
ExecutionPtr extended_ciphertext(const Context& context, Level level, PlainIndex plain);
/// The automorphism x -> x^element of a ciphertext whose digits were found (hoisted_digits). Operands: out (extended),
/// the extended ciphertext before it, digits, key.
ExecutionPtr extended_hoisted_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element);
/// The same of any extended ciphertext: one division by P, of its second part. Operands: out, extended, key.
ExecutionPtr extended_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element);
/// The most rows of plaintexts that extended ciphertexts are multiplied by at once.
inline constexpr std::size_t most_weights = 4;
/// out (`rows` extended ciphertexts, 2 parts each) = the sums of `terms` extended ciphertexts times rows of plaintexts.
/// Operands: out, the first parts (terms parts), the second ones, rows of plaintexts (items of 1 part over `weights`,
/// which begins with the level's extended ring), of which there are 1 ... most_weights.
ExecutionPtr extended_weighted_sums(const Context& context, Level level, const RingPtr& weights, std::size_t terms,
                                    std::size_t rows);
/// Back to a ciphertext. Operands: out (2 parts, the context's native domain), extended.
ExecutionPtr divided_ciphertext(const Context& context, Level level, PlainIndex plain);

}  // namespace cyclotome::rlwe
