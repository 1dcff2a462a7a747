// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/noise_model.hpp"

#include "cyclotome/scheme/bfv/noise.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"

namespace cyclotome::scheme {

NoiseModel::NoiseModel(const rlwe::Parameters& parameters, std::size_t plain)
    : parameters_(parameters), plain_(plain), bgv_(parameters.scheme() == rlwe::SchemeKind::bgv) {}

NoiseModel::State NoiseModel::fresh() const {
  const rlwe::NoiseBound message = bgv_ ? bgv::message_noise(parameters_, plain_) : bfv::message_noise(parameters_);
  return {calculus().sum(rlwe::public_zero_noise(parameters_, plain_), message), parameters_.moduli().size()};
}

NoiseModel::State NoiseModel::squared(const State& a) const {
  if (!bgv_) return rotated({bfv::product_noise(parameters_, plain_, a.noise, a.noise), a.limbs});
  State best = a, current = a;
  double best_headroom = -1e300;
  while (true) {
    const State product{bgv::product_noise(parameters_, current.noise, current.noise), current.limbs};
    if (const double left = headroom(product); left > best_headroom) {
      best_headroom = left;
      best = product;
    }
    if (current.limbs == 1) break;
    current = {bgv::switched_noise(parameters_, plain_, current.noise, current.limbs), current.limbs - 1};
  }
  return rotated(best);
}

NoiseModel::State NoiseModel::summed(const State& a, double count) const {
  return {rlwe::NoiseCalculus::times(a.noise, count), a.limbs};
}

NoiseModel::State NoiseModel::times_plain(const State& a) const {
  const auto n = static_cast<double>(parameters_.degree());
  const double two = static_cast<double>(parameters_.plain_moduli()[plain_]) * std::sqrt(n / 12);
  return {calculus().times_plain(a.noise, {4 * two, two, std::sqrt(n) * two}), a.limbs};
}

NoiseModel::State NoiseModel::rotated(const State& a) const {
  return {calculus().sum(a.noise, rlwe::key_switch_noise(parameters_, plain_, a.limbs)), a.limbs};
}

double NoiseModel::headroom(const State& a) const {
  return bgv_ ? bgv::headroom(parameters_, a.noise, a.limbs) : bfv::headroom(parameters_, plain_, a.noise);
}

}  // namespace cyclotome::scheme
