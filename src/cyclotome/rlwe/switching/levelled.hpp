// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Ciphertexts where their rotations are computed, for operations of several programs.
namespace cyclotome::rlwe {

/// In how few primes a rotation of a is computed.
Level rotation_level(const Ciphertext& a);
/// The polynomials of a at such a level: the same memory where that is its own.
PolyArray at_level(const Ciphertext& a, Level at);
/// Polynomials of a lower level at that of `like`.
PolyArray from_level(const Ciphertext& like, PolyArray low);

/// In how few primes a product of 3 parts is relinearised (rlwe::relinearize). A sum of products keeps the most that
/// one of them takes: its own noise, which is larger, would allow fewer, and the bound would pass that of products that
/// are relinearised before they are added.
Level relinearization_level(const Ciphertext& a);
/// The bound that a has once it was relinearised in that many primes.
NoiseBound relinearized_noise(const Ciphertext& a, Level at);
/// a of 3 parts relinearised in that many primes. Throws as rlwe::relinearize.
Ciphertext relinearize_in(const Ciphertext& a, const EvaluationKeys& keys, Level at);

/// The same array, which came from elsewhere, with what its residues say about Ciphertext::raised_from: a division may
/// round the other way where it is that close to the middle, and shall not depend on whether a file lay between.
Ciphertext with_raised_from(Ciphertext a);

}  // namespace cyclotome::rlwe
