// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/noise_model.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

NoiseModel::State NoiseModel::fresh() const {
  return {calculus().sum(public_zero_noise(parameters_, plain_), message_noise()), Level(parameters_.moduli().size())};
}

NoiseModel::State NoiseModel::multiplied(const State&, const State&) const {
  throw UnsupportedError(message(parameters_.scheme().title(), " has no products of ciphertexts"));
}

NoiseModel::State NoiseModel::added(const State& a, const State& b) const {
  return with_noise(a, calculus().sum(a.noise, b.noise));
}

NoiseModel::State NoiseModel::joined(std::span<const State> members) const {
  NoiseBound noise = members[0].noise;
  for (const State& member : members) noise = larger(noise, member.noise);
  return with_noise(members[0], noise);
}

NoiseModel::State NoiseModel::lowered(const State& a, Level level, std::size_t) const {
  if (a.level == level) return a;
  throw ArgumentError(
      message(parameters_.scheme().title(), " has one level only, of ", a.level, " primes, not ", level));
}

NoiseModel::State NoiseModel::summed(const State& a, double count) const {
  return with_noise(a, NoiseCalculus::times(a.noise, count));
}

NoiseModel::State NoiseModel::times_plain(const State& a) const {
  const auto n = static_cast<double>(parameters_.degree());
  const double two = static_cast<double>(parameters_.plain_modulus(plain_).value) * std::sqrt(n / 12);
  const double one = std::sqrt(n) * two * parameters_.ring()->geometry().turn;
  return with_noise(a, calculus().times_plain(a.noise, {4 * two, two, one}));
}

NoiseModel::State NoiseModel::switched(const State& a, std::size_t parts, SwitchNoise added) const {
  const Level at = key_switch_level(parameters_, a.noise, a.level, parts, added(parameters_, plain_, a.level));
  return with_noise(a, key_switched_noise(parameters_, a.noise, a.level, at, parts, added(parameters_, plain_, at)));
}

NoiseModel::State NoiseModel::relinearized(const State& a) const { return switched(a, 3, relinearization_noise); }

NoiseModel::State NoiseModel::rotated(const State& a) const { return switched(a, 2, key_switch_noise); }

}  // namespace cyclotome::rlwe
