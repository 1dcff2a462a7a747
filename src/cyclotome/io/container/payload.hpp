// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/io/container/packed.hpp"
#include "cyclotome/io/reals/real_array_payload.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/rlwe/noise/noise.hpp"
#include "cyclotome/rlwe/switching/level.hpp"
#include "cyclotome/value/layout/bound.hpp"
#include "cyclotome/value/layout/layout.hpp"

// What the sections of each kind of container hold, but for the residues: counts and lengths, checked against the
// parameters. Inspection shows it, and loading starts from it. Keys, public operands and messages of joint keys have
// headers of their own. All functions throw FormatError.
namespace cyclotome::io {

/// One array of ciphertexts: stored_parts() parts over the primes of its level, in the scheme's native domain; with a
/// seed c1 is not stored.
struct CiphertextPayload {
  rlwe::PlainIndex plain{0};
  std::size_t batch = 0;
  std::size_t parts = 0;
  rlwe::Level level{0};
  std::uint64_t correction = 1;
  rlwe::NoiseBound noise;
  std::optional<PublicSeed> uniform_seed;
  Packed residues;

  std::size_t stored_parts() const noexcept { return uniform_seed ? 1 : parts; }
};

/// What an encrypted array's ciphertexts mean.
struct ArrayPayload {
  value::Layout layout;
  value::Bound bound;
};

struct PlaintextPayload {
  rlwe::PlainIndex plain{0};
  std::size_t batch = 0;
  Packed residues;
};

/// Of a bundle of format version 2 or later; it fits the ciphertexts. Those of version 1 have none.
ArrayPayload array_payload(const Envelope& envelope);
/// Of a bundle of parameters for real numbers, likewise.
RealArrayPayload real_array_payload(const Envelope& envelope);
/// Of a ciphertext container: one; of a bundle: one for each plaintext modulus, all of one batch. Of format version 1:
/// at least one, with strictly ascending plaintext moduli.
std::vector<CiphertextPayload> ciphertext_payloads(const Envelope& envelope);
PlaintextPayload plaintext_payload(const Envelope& envelope);

/// Checks everything about the sections that can be checked without residues, whatever the kind is. It takes hardly any
/// time, so it comes before everything that does: tables of primes, contexts, residues.
void check_payload(const Envelope& envelope);

/// Bytes of residues in memory that the container's object takes when it is loaded.
std::uint64_t expanded_bytes(const Envelope& envelope);

}  // namespace cyclotome::io
