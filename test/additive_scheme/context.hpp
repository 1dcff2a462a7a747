// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/scheme/exact_context.hpp"

namespace cyclotome::additive {

/// log2 of the largest phase that decryption corrects: q/2.
inline double log2_noise_limit(const rlwe::Parameters& parameters) {
  return parameters.log2_modulus(parameters.moduli().size()) - 1;
}

/// A message in the phase is noise, too.
inline rlwe::NoiseBound message_noise(const rlwe::Parameters& parameters) {
  return parameters.noise().chosen(static_cast<double>(parameters.plain_moduli()[0]) / 2);
}

class Context final : public scheme::ExactContext {
 public:
  /// Of parameters that the scheme's make_context has checked.
  Context(const rlwe::Parameters& parameters, const EnginePtr& engine);

 private:
  std::shared_ptr<const BaseConversion> message_lift(rlwe::Level level, rlwe::PlainIndex plain,
                                                     std::uint64_t correction) const override;
  rlwe::NoiseBound message_noise(rlwe::PlainIndex plain) const override;
  Plaintext open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const override;
  Plaintext round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const override;
  scheme::NoiseGauge gauge(const Ciphertext& ciphertext) const override;

  std::shared_ptr<const BaseConversion> lift_;  // m in Z_t -> m, centred, modulo every prime of q
  BaseConversion reduction_;                    // a centred phase -> its residue modulo t
};

}  // namespace cyclotome::additive
