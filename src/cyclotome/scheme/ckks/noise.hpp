// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/scheme/ckks/part.hpp"

// How wrong real numbers can be. A phase is m + e: m is the scale times what exact arithmetic gives, e the error, and a
// NoiseBound of e bounds every slot, |e(zeta)| <= sqrt(n) 2^log2_canonical, and their root mean square, sqrt(n)
// 2^log2_rms. The noise of a ciphertext is the whole phase, as in BGV, so that whatever asks when decryption fails is
// right. Operations and planning use the functions that follow.
namespace cyclotome::ckks {

using rlwe::Level;
using rlwe::NoiseBound;
using rlwe::NoiseCalculus;
using rlwe::PlainIndex;

/// Of numbers up to `bound` at a scale: n coefficients whose values at all roots are at most bound times scale.
inline NoiseBound message_bound(const rlwe::Parameters& parameters, double bound, double scale) {
  const double root = std::sqrt(static_cast<double>(parameters.degree()));
  const double canonical = scale * std::max(bound, 0x1p-900) / root;  // zeros have a logarithm, too
  return parameters.noise().bound(canonical * root, canonical, canonical);
}

/// Of one slot: an error up to `largest` in each, times a scale.
inline NoiseBound slot_error(const rlwe::Parameters& parameters, double largest, double scale) {
  return message_bound(parameters, largest, scale);
}

/// What the transform in doubles leaves: a relative error in the root mean square, over roots or coefficients, that
/// is below 8 log2(n) 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 24.2).
inline double transform_error(const rlwe::Parameters& parameters) {
  return 8 * (std::log2(static_cast<double>(parameters.degree())) + 1) * 0x1p-53;
}
/// Of numbers up to `bound` at a scale: half a unit in each coefficient, and what the transform leaves.
inline NoiseBound encoding_error(const rlwe::Parameters& parameters, double bound, double scale) {
  const double root = std::sqrt(static_cast<double>(parameters.degree()));
  const double rms = transform_error(parameters) * scale * bound / root + 1e-300;
  const NoiseCalculus& noise = parameters.noise();
  return noise.sum(noise.chosen(0.5), noise.bound(rms * root, rms, rms * root));
}

/// Divided by the last prime of a level, with rounding.
inline NoiseBound rescaled_noise(const rlwe::Parameters& parameters, const NoiseBound& a, Level level) {
  const double log2_prime = parameters.log2_modulus(level.primes) - parameters.log2_modulus(level.primes - 1);
  const NoiseCalculus& noise = parameters.noise();
  return noise.sum(NoiseCalculus::scaled(a, -log2_prime), noise.rounding_of_ciphertext(2));
}

/// What a message adds to an encryption of zero, at the top level.
NoiseBound message_noise(const rlwe::Parameters& parameters);

/// log2 of the largest phase that decryption gives back: below half of q, and of the carrier.
inline double log2_noise_limit(const rlwe::Parameters& parameters, Level level) {
  return std::min(parameters.log2_modulus(level.primes), std::log2(static_cast<double>(carrier))) - 1;
}

/// What is known of an error before there are keys or ciphertexts, and of those that there are: the same formulas.
struct Approximation {
  NoiseBound error;  ///< in units of a coefficient, at the scale of the level
  double bound;      ///< on every number that stands in a slot
};

/// Of both, at one level.
inline Approximation sum(const rlwe::Parameters& parameters, const Approximation& a, const Approximation& b) {
  return {parameters.noise().sum(a.error, b.error), a.bound + b.bound};
}

/// The product at one level, relinearised, rescaled; switching: what the key switch adds.
Approximation product(const rlwe::Parameters& parameters, const Approximation& a, const Approximation& b, Level level,
                      double scale, double next_scale, const NoiseBound& switching);

/// The largest error of a number and the root mean square over the slots of a ciphertext, those of decoding included.
struct Error {
  double max, rms;  ///< as said
};
Error error_of(const rlwe::Parameters& parameters, const Approximation& a, double scale);  ///< at a level's scale

// Numbers for others to see: a uniform error is added to every coefficient of the phase, and the law of what comes out
// is within 2^-flooding_bits, for each ciphertext, of one that depends on the exact numbers alone. Of errors e and a
// uniform one up to F in n coefficients these are at most |e|_1/(2F) <= n rms/(2F) apart.

/// How wrong such numbers are at least.
double revealed_error(const rlwe::Parameters& parameters, const Approximation& a, double scale, unsigned flooding_bits);
/// log2 of the flooding whose numbers are off by `precision` at most, their own error included: rlwe::Flooding's limit.
/// -infinity where the error leaves nothing.
double log2_flooding(const rlwe::Parameters& parameters, const Approximation& a, double scale, double precision);
/// log2 of what is to be hidden, as rlwe::Flooding takes it: the root mean square of the error, and half a unit, as
/// exact numbers are no integers.
double log2_hidden(const Approximation& a);

}  // namespace cyclotome::ckks
