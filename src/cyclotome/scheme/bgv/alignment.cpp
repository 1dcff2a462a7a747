// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bgv/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"

namespace cyclotome::bgv {

using rlwe::Level;
using rlwe::NoiseCalculus;

NoiseBound noise_at(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const Phase& a, Level level) {
  NoiseBound noise = a.noise;
  for (std::size_t l = a.level.primes; l > level.primes; --l) {
    noise = switched_noise(parameters, plain, noise, Level(l), a.parts);
  }
  return noise;
}

std::uint64_t correction_at(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const Phase& a, Level level) {
  const std::uint64_t t = parameters.plain_modulus(plain).value;
  std::uint64_t factor = a.correction;
  for (std::size_t l = a.level.primes; l > level.primes; --l) {
    factor = Modulus<std::uint64_t>(t).multiply(factor, inverse_or_zero(parameters.moduli()[l - 1] % t, t));
  }
  return factor;
}

std::pair<std::int64_t, std::int64_t> balanced_factors(std::uint64_t a, std::uint64_t b, rlwe::PlainModulus modulus) {
  const std::uint64_t t = modulus.value;
  const std::uint64_t ratio =
      static_cast<std::uint64_t>(static_cast<u128>(b) * inverse_or_zero(a, t) % t);  // x = ratio y
  auto r0 = static_cast<std::int64_t>(t), r1 = static_cast<std::int64_t>(ratio);
  std::int64_t y0 = 0, y1 = 1, x = r1, y = 1;
  while (r1 != 0 && std::abs(y1) < std::max(x, std::abs(y))) {
    if (std::max(r1, std::abs(y1)) < std::max(x, std::abs(y)) && std::gcd(static_cast<std::uint64_t>(r1), t) == 1) {
      x = r1;
      y = y1;
    }
    const std::int64_t quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    y0 = std::exchange(y1, y0 - quotient * y1);
  }
  return {x, y};
}

Alignment alignment(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const Phase& high, const Phase& low) {
  const std::uint64_t t = parameters.plain_modulus(plain).value;
  const Level level = low.level;
  const std::uint64_t correction = correction_at(parameters, plain, high, level);
  if (correction == low.correction) return {};
  const std::uint64_t ratio = Modulus<std::uint64_t>(t).multiply(low.correction, inverse_or_zero(correction, t));
  const auto whole = static_cast<std::int64_t>(ratio) - (2 * ratio > t ? static_cast<std::int64_t>(t) : 0);
  const auto [x, y] = balanced_factors(correction, low.correction, parameters.plain_modulus(plain));
  const auto size = [](std::int64_t factor) { return std::abs(static_cast<double>(factor)); };
  const NoiseCalculus& noise = parameters.noise();
  Phase multiple = high;
  multiple.noise = NoiseCalculus::times(high.noise, size(whole));
  const NoiseBound quiet = noise.sum(noise_at(parameters, plain, multiple, level), low.noise);
  const NoiseBound balanced = noise.sum(NoiseCalculus::times(noise_at(parameters, plain, high, level), size(x)),
                                        NoiseCalculus::times(low.noise, size(y)));
  if (quiet.log2_max < balanced.log2_max) return {whole, 1, 1};
  return {1, x, y};
}

}  // namespace cyclotome::bgv
