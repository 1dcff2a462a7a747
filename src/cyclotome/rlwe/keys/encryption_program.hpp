// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/rlwe/context.hpp"

// Encryption, and the part of decryption that all schemes share, as programs. scale: how messages get to Q, null for
// encryptions of zero.
namespace cyclotome::rlwe {

/// (pk0 u + e0, pk1 u + e1) over Q and one special prime, divided by that prime, plus the message (specification 5.3;
/// paper 001, Algorithm 4 with errata 001-4 and 001-5). Operands: out, key, message if there is one; seeds: one.
ExecutionPtr public_encryption(const Context& context, PlainIndex plain, const BaseConversion* scale);

/// (-(a s) - e + m, a) directly over Q. Operands: out, s over Q, message if there is one; seeds: of the published a,
/// of e.
ExecutionPtr symmetric_encryption(const Context& context, PlainIndex plain, const BaseConversion* scale);

/// out (1 part, coefficients) = [sum c_j s^j]_Q, from c in either domain and s over c's primes.
void write_phase(program::Builder& b, const program::Slice& out, const program::Slice& c, const program::Slice& s);
/// Operands: out (secret), c of so many parts, s.
ExecutionPtr phase_of(const Context& context, Level level, std::size_t parts, Domain domain);

}  // namespace cyclotome::rlwe
