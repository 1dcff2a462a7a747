// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/keys/keys.hpp"

// Keys belong to a lattice: ring, primes, digits, and what their errors are multiples of. In BFV, where that is 1, they
// know nothing of plaintext moduli: those of one secret serve every t of a lattice. In BGV of one plaintext modulus
// errors are multiples of it, and so t is a part of what a key belongs to.
namespace cyclotome::rlwe {

/// SHA-256 of a canonical text of everything that keys depend on, the demanded security and the rules of noise
/// included. Equal for parameters that differ in their plaintext moduli alone, as far as the scheme's keys allow.
Digest lattice_fingerprint(const Parameters& parameters);

/// Throws MismatchError unless keys of one serve the other: one lattice, and one engine.
void require_same_lattice(const char* operation, const Context& a, const Context& b);

/// The same keys on a context of the same lattice, for its plaintext moduli; residues are shared. Throw MismatchError
/// for another lattice or engine.
PublicKey on_context(const PublicKey& key, const ContextPtr& context);
EvaluationKeys on_context(const EvaluationKeys& keys, const ContextPtr& context);
RekeyingKey on_context(const RekeyingKey& key, const ContextPtr& context);
/// rlwe/encapsulation/encapsulation_keys.hpp has the class.
EncapsulationKeys on_context(const EncapsulationKeys& keys, const ContextPtr& context);
/// A copy of the secret, with memory of its own.
SecretKey on_context(const SecretKey& key, const ContextPtr& context);

}  // namespace cyclotome::rlwe
