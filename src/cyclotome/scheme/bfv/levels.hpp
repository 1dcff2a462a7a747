// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/operations.hpp"

// BFV in fewer primes: what is done with it takes fewer residues, and a result goes home in as few as its noise allows
// (specification 5.6 has the same step inside a product).
namespace cyclotome::bfv {

/// round(c q'/q), part by part, q' the primes of a lower level: the phase keeps the message, (q'/t) m, and its noise
/// becomes q'/q times what it was, plus what the rounding leaves. Throws ArgumentError unless the level is at least 1
/// and at most the ciphertext's.
rlwe::Ciphertext switch_to_level(const rlwe::Ciphertext& a, rlwe::Level level);
/// The same for a level that is known to fit: the ciphertext itself where it is there.
rlwe::Ciphertext lowered(const rlwe::Ciphertext& a, rlwe::Level level);
/// c q/q' over all primes: the same message, and q/q' times the noise. Exact.
rlwe::Ciphertext raised(const rlwe::Ciphertext& a);

}  // namespace cyclotome::bfv
