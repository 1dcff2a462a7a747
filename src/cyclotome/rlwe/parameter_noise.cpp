// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameter_noise.hpp"

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

}  // namespace cyclotome::rlwe
