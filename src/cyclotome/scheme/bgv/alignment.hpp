// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "cyclotome/rlwe/parameters/parameters.hpp"

// Levels and correction factors (specification 5.8) by public numbers alone: what operations on ciphertexts do, and
// what the noise model says that they will.
namespace cyclotome::bgv {

/// What is public about a ciphertext, as far as its noise goes.
struct Phase {
  rlwe::NoiseBound noise;
  rlwe::Level level;
  std::uint64_t correction;
  std::size_t parts;
};

/// The same at a lower level: its noise, and its correction factor.
rlwe::NoiseBound noise_at(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const Phase& a,
                          rlwe::Level level);
std::uint64_t correction_at(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const Phase& a,
                            rlwe::Level level);

/// Small units (x, y) modulo the modulus t with x a = y b: rational reconstruction of b/a, of about sqrt(t) for prime
/// t. Remainders that share a factor with a composite t are left out: they would take the message modulo that factor
/// with them.
std::pair<std::int64_t, std::int64_t> balanced_factors(std::uint64_t a, std::uint64_t b, rlwe::PlainModulus modulus);

/// What brings two ciphertexts to the lower of both levels and to one correction factor.
struct Alignment {
  std::int64_t before = 1;  ///< what the one at the higher level is multiplied by before it is switched down
  std::int64_t after = 1;   ///< and there
  std::int64_t other = 1;   ///< what the one at the lower level is multiplied by
};

/// Small multiples of both, or, where that is quieter, a multiple of the higher one alone before it is switched down,
/// which divides what the multiple added.
Alignment alignment(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const Phase& high, const Phase& low);

}  // namespace cyclotome::bgv
