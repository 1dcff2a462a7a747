// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/noise_model.hpp"

#include <algorithm>

#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"

namespace cyclotome::scheme {

NoiseModel::NoiseModel(const rlwe::Parameters& parameters, std::size_t plain)
    : parameters_(parameters),
      plain_(plain),
      bgv_(parameters.scheme() == rlwe::SchemeKind::bgv),
      plain_modulus_(parameters.plain_moduli().at(plain)) {
  double sum = 0;
  for (const auto prime : parameters.moduli()) {
    log2_primes_.push_back(std::log2(static_cast<double>(prime)));
    log2_products_.push_back(sum += log2_primes_.back());
  }
  for (const auto prime : parameters.special_moduli()) log2_special_ += std::log2(static_cast<double>(prime));
  if (bgv_) {
    for (const auto t : parameters.plain_moduli()) error_multiplier_ *= static_cast<double>(t);
  }
}

double NoiseModel::key_switch_deviation(std::size_t limbs) const {
  const std::size_t per_digit = parameters_.primes_per_digit();
  std::vector<double> digits;
  for (std::size_t first = 0; first < limbs; first += per_digit) {
    const std::size_t last = std::min(limbs, first + per_digit);
    digits.push_back(log2_products_[last - 1] - (first == 0 ? 0 : log2_products_[first - 1]));
  }
  return rlwe::key_switch_deviation(parameters_.degree(), digits, log2_special_, error_multiplier_,
                                    bgv_ ? static_cast<double>(plain_modulus_) : 1.0);
}

NoiseModel::State NoiseModel::fresh() const {
  const auto& special = parameters_.special_moduli();
  const rlwe::NoiseBound zero =
      rlwe::public_key_noise(parameters_.degree(), special.empty() ? 1.0 : static_cast<double>(special.back()),
                             error_multiplier_, bgv_ ? static_cast<double>(plain_modulus_) : 1.0);
  const double message = bgv_ ? bgv::message_deviation(parameters_.degree(), plain_modulus_) : 0.5;
  return {rlwe::with_error(zero, message), parameters_.moduli().size()};
}

NoiseModel::State NoiseModel::squared(const State& a) const {
  const std::size_t n = parameters_.degree();
  if (!bgv_) {
    const rlwe::NoiseBound product = bfv::product_noise(parameters_, plain_, a.noise, a.noise);
    return {rlwe::with_error(product, key_switch_deviation(a.limbs)), a.limbs};
  }
  State best = a, current = a;
  double best_headroom = -1e300;
  while (true) {
    const State product{bgv::product_noise(current.noise, current.noise, n), current.limbs};
    if (const double left = headroom(product); left > best_headroom) {
      best_headroom = left;
      best = product;
    }
    if (current.limbs == 1) break;
    current = {bgv::switched_noise(current.noise, n, plain_modulus_, log2_primes_[current.limbs - 1]),
               current.limbs - 1};
  }
  return {rlwe::with_error(best.noise, key_switch_deviation(best.limbs)), best.limbs};
}

NoiseModel::State NoiseModel::scaled(const State& a, double count) const {
  return {rlwe::scaled(a.noise, count), a.limbs};
}

NoiseModel::State NoiseModel::rotated(const State& a) const {
  return {rlwe::with_error(a.noise, key_switch_deviation(a.limbs)), a.limbs};
}

double NoiseModel::headroom(const State& a) const {
  const double plain = bgv_ ? 0 : std::log2(static_cast<double>(plain_modulus_));
  return log2_q(a.limbs) - plain - 1 - std::log2(rlwe::tail_factor) - a.noise.log2_deviation;
}

double NoiseModel::plain_norm() const {
  return 4 * static_cast<double>(plain_modulus_) * std::sqrt(static_cast<double>(parameters_.degree()) / 12);
}

}  // namespace cyclotome::scheme
