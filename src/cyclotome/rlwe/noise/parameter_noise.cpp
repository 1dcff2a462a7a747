// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/parameter_noise.hpp"

#include <algorithm>
#include <vector>

namespace cyclotome::rlwe {

double error_multiple(const Parameters& parameters, PlainIndex plain) {
  return static_cast<double>(parameters.scheme().error_multiple(parameters.part(), plain));
}

NoiseBound public_zero_noise(const Parameters& parameters, PlainIndex plain) {
  const auto& special = parameters.special_moduli();
  return parameters.noise().public_zero(special.empty() ? 0 : std::log2(static_cast<double>(special.back())),
                                        error_multiple(parameters, plain));
}

NoiseBound symmetric_zero_noise(const Parameters& parameters, PlainIndex plain) {
  return parameters.noise().symmetric_zero(error_multiple(parameters, plain));
}

namespace {

NoiseBound switch_noise(const Parameters& parameters, PlainIndex plain, Level level, const NoiseBound& error) {
  const std::size_t per_digit = parameters.primes_per_digit();
  std::vector<double> digits;
  for (std::size_t first = 0; first < level.primes; first += per_digit) {
    digits.push_back(parameters.log2_modulus(std::min(level.primes, first + per_digit)) -
                     parameters.log2_modulus(first));
  }
  return parameters.noise().key_switch(digits, parameters.log2_special_modulus(), error_multiple(parameters, plain),
                                       error);
}

}  // namespace

NoiseBound key_switch_noise(const Parameters& parameters, PlainIndex plain, Level level) {
  return switch_noise(parameters, plain, level, parameters.noise().switching_key_error());
}

NoiseBound relinearization_noise(const Parameters& parameters, PlainIndex plain, Level level) {
  return switch_noise(parameters, plain, level, parameters.noise().relinearization_key_error());
}

namespace {

/// Transforms of a key switch at a level: of the digits, and back.
std::size_t transforms_of_switch(const Parameters& parameters, std::size_t primes) {
  const std::size_t per_digit = parameters.primes_per_digit(), digits = (primes + per_digit - 1) / per_digit;
  return (digits + 2) * (primes + parameters.special_moduli().size());
}

}  // namespace

Level key_switch_level(const Parameters& parameters, const NoiseBound& noise, Level level, std::size_t parts,
                       const NoiseBound& added) {
  if (!parameters.scheme().raises_levels()) return level;
  const double log2_q = parameters.log2_modulus(level.primes);
  const auto allows = [&](double allowed, std::size_t primes) {
    return primes > 0 && log2_q - parameters.log2_modulus(primes) <= allowed;
  };
  const double most = noise.log2_max - added.log2_max - 8;  // more than it will be: without the rounding
  std::size_t primes = level.primes;
  if (!allows(most, primes - 1)) return level;
  const NoiseBound all = parameters.noise().sum(parameters.noise().rounding_of_ciphertext(parts), added);
  const double allowed = std::min({noise.log2_max - all.log2_max, noise.log2_rms - all.log2_rms,
                                   noise.log2_canonical - all.log2_canonical}) -
                         8;
  while (allows(allowed, primes - 1)) --primes;
  const bool pays =
      parts > 2 || 5 * transforms_of_switch(parameters, primes) <= 4 * transforms_of_switch(parameters, level.primes);
  return pays ? Level(primes) : level;
}

NoiseBound key_switched_noise(const Parameters& parameters, const NoiseBound& noise, Level level, Level at,
                              std::size_t parts, const NoiseBound& added) {
  const NoiseCalculus& calculus = parameters.noise();
  if (at == level) return calculus.sum(noise, added);
  const double dropped = parameters.log2_modulus(level.primes) - parameters.log2_modulus(at.primes);
  const NoiseBound all = calculus.sum(calculus.rounding_of_ciphertext(parts), added);
  return calculus.sum(noise, NoiseCalculus::scaled(all, dropped));
}

}  // namespace cyclotome::rlwe
