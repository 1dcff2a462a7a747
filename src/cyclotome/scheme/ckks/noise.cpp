// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/noise.hpp"

#include <limits>

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

namespace {

/// How wrong a number can be for each unit that a coefficient is flooded by: as roundings are, which are uniform up to
/// one half.
double slot_of_unit(const rlwe::Parameters& parameters, double scale) {
  const double root = std::sqrt(static_cast<double>(parameters.degree()));
  return 2 * root * std::exp2(parameters.noise().rounding_of_polynomial().log2_canonical) / scale;
}

/// Of what doubles are off by in these bounds.
constexpr double slack = 1 + 0x1p-20;

}  // namespace

double log2_hidden(const Approximation& a) { return std::log2(std::exp2(a.error.log2_rms) + 0.5); }

double revealed_error(const rlwe::Parameters& parameters, const Approximation& a, double scale,
                      unsigned flooding_bits) {
  const double log2_units = log2_hidden(a) + flooding_bits + std::log2(static_cast<double>(parameters.degree()));
  return error_of(parameters, a, scale).max + slot_of_unit(parameters, scale) * std::exp2(log2_units) * slack;
}

double log2_flooding(const rlwe::Parameters& parameters, const Approximation& a, double scale, double precision) {
  const double left = precision - error_of(parameters, a, scale).max;
  if (!(left > 0)) return -std::numeric_limits<double>::infinity();
  return std::log2(left / (slot_of_unit(parameters, scale) * slack));
}

}  // namespace cyclotome::ckks
