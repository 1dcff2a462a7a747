// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/noise/parameter_noise.hpp"

// How BGV's noise grows and where it ends. The bound is that of the whole phase m + t e, message included: products
// multiply phases, and a phase is divided as a whole when the modulus is switched.
namespace cyclotome::bgv {

using rlwe::NoiseBound;

/// A message, chosen by whoever computes: in each encryption, and each sum with a plaintext.
inline NoiseBound message_noise(const rlwe::Parameters& parameters, rlwe::PlainIndex plain) {
  return parameters.noise().chosen(static_cast<double>(parameters.plain_modulus(plain).value) / 2);
}

/// After the switch from a level of 2 or more primes to the next lower one: the phase divided, and t times what
/// rounding leaves.
inline NoiseBound switched_noise(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const NoiseBound& a,
                                 rlwe::Level level, std::size_t parts = 2) {
  using rlwe::NoiseCalculus;
  const double log2_prime = parameters.log2_modulus(level.primes) - parameters.log2_modulus(level.primes - 1);
  const double log2_t = std::log2(static_cast<double>(parameters.plain_modulus(plain).value));
  const NoiseCalculus& noise = parameters.noise();
  return noise.sum(NoiseCalculus::scaled(a, -log2_prime),
                   NoiseCalculus::scaled(noise.rounding_of_ciphertext(parts), log2_t));
}

/// Of a product of two phases.
inline NoiseBound product_noise(const rlwe::Parameters& parameters, const NoiseBound& a, const NoiseBound& b) {
  return parameters.noise().product(a, b);
}

/// log2 of the largest phase that decryption corrects at a level: q/2.
inline double log2_noise_limit(const rlwe::Parameters& parameters, rlwe::Level level) {
  return parameters.log2_modulus(level.primes) - 1;
}
/// Bits that the bound may grow until decryption refuses.
inline double headroom(const rlwe::Parameters& parameters, const NoiseBound& noise, rlwe::Level level) {
  return log2_noise_limit(parameters, level) + rlwe::log2_margin - noise.log2_max;
}

}  // namespace cyclotome::bgv
