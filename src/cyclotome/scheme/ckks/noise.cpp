// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/noise.hpp"

#include "cyclotome/scheme/ckks/levels.hpp"

namespace cyclotome::ckks {

NoiseBound message_noise(const rlwe::Parameters& parameters) {
  const Part& part = Part::of(parameters);
  const double top = level_scales(parameters.moduli(), part.scale()).back();
  return parameters.noise().sum(message_bound(parameters, part.bound(), top),
                                encoding_error(parameters, part.bound(), top));
}

Approximation product(const rlwe::Parameters& parameters, const Approximation& a, const Approximation& b, Level level,
                      double scale, double next_scale, const NoiseBound& switching) {
  const NoiseCalculus& noise = parameters.noise();
  const NoiseBound x = message_bound(parameters, a.bound, scale), y = message_bound(parameters, b.bound, scale);
  NoiseBound error = noise.sum(noise.product(x, b.error), noise.product(y, a.error));
  error = noise.sum(noise.sum(error, noise.product(a.error, b.error)), switching);
  error = rescaled_noise(parameters, error, level);
  const double bound = a.bound * b.bound;
  return {noise.sum(error, slot_error(parameters, bound * scale_deviation, next_scale)), bound};
}

Error error_of(const rlwe::Parameters& parameters, const Approximation& a, double scale) {
  const double n = static_cast<double>(parameters.degree()), root = std::sqrt(n);
  const double max = root * std::exp2(a.error.log2_canonical) / scale, rms = root * std::exp2(a.error.log2_rms) / scale;
  const double decoding = transform_error(parameters) * (a.bound + rms);
  return {max + std::sqrt(n / 2) * decoding, rms + decoding};
}

}  // namespace cyclotome::ckks
