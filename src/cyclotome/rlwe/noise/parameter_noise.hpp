// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/parameters/parameters.hpp"

// Noise of what all lattice schemes share, by the parameters alone: what operations attach to their results, and what
// the planner computes before there is a key.
namespace cyclotome::rlwe {

/// What every error is a multiple of: the plaintext modulus where messages stand in the low digits (BGV), else 1.
double error_multiple(const Parameters& parameters, PlainIndex plain);

/// Encryptions of zero under the public and the secret key.
NoiseBound public_zero_noise(const Parameters& parameters, PlainIndex plain);
NoiseBound symmetric_zero_noise(const Parameters& parameters, PlainIndex plain);

/// What one key switch adds at a level, and what relinearisation does: the same but for keys of several parties.
NoiseBound key_switch_noise(const Parameters& parameters, PlainIndex plain, Level level);
NoiseBound relinearization_noise(const Parameters& parameters, PlainIndex plain, Level level);

/// In how few of a level's primes a key switch of a ciphertext of `parts` parts is computed: what the primes that go
/// multiply, the rounding and what the key switch adds (`added`, at the level itself), stays 8 bits below the noise in
/// each of its norms. All of them in schemes that don't raise levels; and for a rotation (2 parts) that would not have
/// a fifth less transforms so, since the way down and back takes time, too. A product is down there anyway.
Level key_switch_level(const Parameters& parameters, const NoiseBound& noise, Level level, std::size_t parts,
                       const NoiseBound& added);
/// The noise after one that was computed `at` that level and raised again; added: what it adds there.
NoiseBound key_switched_noise(const Parameters& parameters, const NoiseBound& noise, Level level, Level at,
                              std::size_t parts, const NoiseBound& added);

/// What decryption keeps free of noise below its limit, in bits: it refuses beyond 15/16 of the limit.
inline const double log2_margin = std::log2(15.0 / 16.0);

}  // namespace cyclotome::rlwe
