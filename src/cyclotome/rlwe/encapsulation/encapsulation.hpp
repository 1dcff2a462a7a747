// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"

// A ciphertext over its last prime goes under a sparse secret s~ (Bossuat, Troncoso-Pastoriza and Hubaux, 2022), and
// what is made of it over all primes comes back under s. Under s~ a rounding of both parts adds at most (1 + weight)/2
// to each coefficient of the phase, whatever is rounded.
namespace cyclotome::rlwe {

/// What is under s~: 2 parts over the first ciphertext prime, coefficients; and a bound on its noise. Not a ciphertext:
/// no other operation takes it.
struct Encapsulated {
  PolyArray polynomials;
  NoiseBound noise;
};

/// a (2 parts over one prime, ArgumentError otherwise) under s~. Throws MismatchError for another key or lattice.
Encapsulated encapsulate(const Ciphertext& a, const EncapsulationKeys& keys);
/// Its noise, from that of the ciphertext at one prime.
NoiseBound encapsulated_noise(const Parameters& parameters, const NoiseBound& noise, unsigned weight);

/// The most that rounding both parts of something under s~ adds to a coefficient of its phase: (1 + weight)/2.
constexpr double sparse_rounding(unsigned weight) noexcept { return 0.5 * (1 + static_cast<double>(weight)); }

/// 2 parts under s~ over all ciphertext primes, in the native domain, with their noise: under s. context: of the keys'
/// lattice, whose plaintext modulus number `plain` the result has.
Ciphertext released(const ContextPtr& context, PlainIndex plain, PolyArray polynomials, const NoiseBound& noise,
                    const EncapsulationKeys& keys);

}  // namespace cyclotome::rlwe
