// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/noise.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"

namespace cyclotome::bfv {

namespace {

using rlwe::NoiseCalculus;

/// t (c_0 + c_1 s)/q for ciphertexts over q: what an error is multiplied by in a product.
NoiseBound quotient(const rlwe::Parameters& p, rlwe::PlainIndex plain, ProductMethod method) {
  const double t = static_cast<double>(p.plain_modulus(plain).value);
  // BEHZ's lift leaves multiples of q: |x| <= (q/2)(1 + 2k/m~).
  const double excess = method == ProductMethod::behz
                            ? 2.0 * static_cast<double>(p.moduli().size()) / static_cast<double>(behz_m_tilde(p.word()))
                            : 0.0;
  return NoiseCalculus::scaled(p.noise().rounding_of_ciphertext(), std::log2(t * (1 + excess)));
}

/// What rounding a product's three parts leaves, and rounding p y / q to the second factor's representative.
NoiseBound rounding(const rlwe::Parameters& p, const NoiseBound& quotient, ProductMethod method) {
  const NoiseCalculus& noise = p.noise();
  if (method == ProductMethod::behz) {
    // FastBConv's overflow in S3 and the floor: each part is off by less than k + 1.
    return noise.loose_rounding_of_ciphertext(static_cast<double>(p.moduli().size()) + 1, 3);
  }
  const NoiseBound moved = noise.product(quotient, noise.rounding_of_ciphertext());
  return noise.sum(noise.rounding_of_ciphertext(3), NoiseCalculus::scaled(moved, -double{hps_margin}));
}

}  // namespace

std::span<const std::string_view> product_method_names() noexcept {
  static constexpr std::string_view names[] = {"behz", "hps", "hps-leveled"};
  return names;
}

ProductMethod product_method(std::string_view name) {
  if (name.empty()) return ProductMethod::hps_over_q_leveled;
  const auto names = product_method_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return ProductMethod(i);
  }
  throw ArgumentError(message("multiply: BFV has no method '", name,
                              "'; there are behz (papers 000 and 003), hps (over ",
                              "Q) and hps-leveled, its own choice"));
}

NoiseBound message_noise(const rlwe::Parameters& parameters) { return parameters.noise().chosen(0.5); }

NoiseBound product_noise(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, rlwe::Level level,
                         const NoiseBound& first, const NoiseBound& second, ProductMethod method) {
  const NoiseCalculus& noise = parameters.noise();
  const std::size_t all = level.primes;
  const std::size_t limbs =
      method == ProductMethod::hps_over_q_leveled ? product_level(parameters, level, first, second).primes : all;
  // In units of the level's q: operands switched to fewer primes are off by the dropped primes' product times a
  // rounding, and all that is rounded down there comes back up times that product.
  const double log2_q = parameters.log2_modulus(all), dropped = log2_q - parameters.log2_modulus(limbs);
  NoiseBound a = first, b = second;
  if (limbs < all) {
    const NoiseBound switched = NoiseCalculus::scaled(noise.rounding_of_ciphertext(), dropped);
    a = noise.sum(a, switched);
    b = noise.sum(b, switched);
  }
  // With phase_i = (q/t) m_i + e_i + q r_i the product's error is e_1 (m_2 + t r_2) + e_2 (m_1 + t r_1) - (t/q) e_1 e_2
  // for m_i + t r_i = (t/q)(c_0 + c_1 s), from which e_i is t/q times away; and the scaling's.
  const double log2_t = std::log2(static_cast<double>(parameters.plain_modulus(plain).value));
  const NoiseBound factor = quotient(parameters, plain, method);
  const NoiseBound linear = noise.sum(noise.product(a, factor), noise.product(b, factor));
  const NoiseBound quadratic = NoiseCalculus::scaled(noise.product(a, b), log2_t - log2_q);
  return noise.sum(noise.sum(linear, quadratic), NoiseCalculus::scaled(rounding(parameters, factor, method), dropped));
}

rlwe::Level product_level(const rlwe::Parameters& parameters, rlwe::Level level, const NoiseBound& a,
                          const NoiseBound& b) {
  const double larger = a.log2_rms < b.log2_rms ? b.log2_rms : a.log2_rms;
  const double allowed = larger - 3 - parameters.noise().rounding_of_ciphertext().log2_rms;
  const std::size_t all = level.primes;
  std::size_t limbs = all;
  while (limbs > 1 && parameters.log2_modulus(all) - parameters.log2_modulus(limbs - 1) <= allowed) --limbs;
  return rlwe::Level(limbs);
}

double log2_noise_limit(const rlwe::Parameters& parameters, rlwe::Level level, rlwe::PlainIndex plain) {
  const double slack =  // a prime of so many bits is above that
      static_cast<double>(level.primes) / std::exp2(gamma_bits(parameters.word()) - 1);
  return parameters.log2_modulus(level.primes) - std::log2(static_cast<double>(parameters.plain_modulus(plain).value)) +
         std::log2(0.5 - slack);
}

double headroom(const rlwe::Parameters& parameters, rlwe::Level level, rlwe::PlainIndex plain,
                const NoiseBound& noise) {
  return log2_noise_limit(parameters, level, plain) + rlwe::log2_margin - noise.log2_max;
}

NoiseBound noise_at(const rlwe::Parameters& parameters, const NoiseBound& noise, rlwe::Level from, rlwe::Level to,
                    std::size_t parts) {
  if (from == to) return noise;
  const double ratio = parameters.log2_modulus(to.primes) - parameters.log2_modulus(from.primes);
  const NoiseBound scaled = NoiseCalculus::scaled(noise, ratio);
  return to > from ? scaled : parameters.noise().sum(scaled, parameters.noise().rounding_of_ciphertext(parts));
}

}  // namespace cyclotome::bfv
