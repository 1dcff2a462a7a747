// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise_model.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

NoiseModel::State NoiseModel::fresh() const {
  return {calculus().sum(public_zero_noise(parameters_, plain_), message_noise()), Level(parameters_.moduli().size())};
}

NoiseModel::State NoiseModel::squared(const State&) const {
  throw UnsupportedError(message(parameters_.scheme().title(), " has no products of ciphertexts"));
}

NoiseModel::State NoiseModel::summed(const State& a, double count) const {
  return {NoiseCalculus::times(a.noise, count), a.level};
}

NoiseModel::State NoiseModel::times_plain(const State& a) const {
  const auto n = static_cast<double>(parameters_.degree());
  const double two = static_cast<double>(parameters_.plain_modulus(plain_).value) * std::sqrt(n / 12);
  const double one = std::sqrt(n) * two * parameters_.ring()->geometry().turn;
  return {calculus().times_plain(a.noise, {4 * two, two, one}), a.level};
}

NoiseModel::State NoiseModel::rotated(const State& a) const {
  return {calculus().sum(a.noise, key_switch_noise(parameters_, plain_, a.level)), a.level};
}

}  // namespace cyclotome::rlwe
