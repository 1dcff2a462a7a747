// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/scheme/ckks/noise.hpp"
#include "cyclotome/scheme/ckks/special_transform.hpp"
#include "cyclotome/scheme/exact_context.hpp"

namespace cyclotome::ckks {

/// A CKKS context. Encryption and decryption are those of exact schemes, of the integers that numbers are encoded as:
/// the phase is scale times message plus error, and nothing is to be rounded away. What operations mean for numbers,
/// and how wrong these are, is in operations.hpp.
class Context final : public scheme::ExactContext {
 public:
  /// Of parameters that the scheme has checked; make_context asks.
  Context(const rlwe::Parameters& parameters, const EnginePtr& engine);

  std::size_t slots() const noexcept { return transform_.slots(); }
  /// What the numbers of a level are multiplied by. Throws ArgumentError where there is no such level.
  double scale(Level level) const;
  /// At which a factor is encoded so that its product, rescaled, has the scale of the next lower level.
  double factor_scale(Level level) const;
  const SpecialTransform& transform() const noexcept { return transform_; }
  /// Division by the last prime of a level; made on first use, thread-safe. Throws ArgumentError at the lowest.
  const DivideAndRound& rescaling(Level from) const;

  /// Products are those of operations.hpp: one without its rescaling has a scale that nothing else has.
  Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b,
                                   const rlwe::EvaluationKeys& keys) const override;
  Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) const override;
  /// Without the primes that go: the same integers, and the same scale. Throws ArgumentError above the present level.
  Ciphertext switch_to_level(const Ciphertext& a, Level level) const override;

  /// What the phase of a ciphertext holds, with a uniform error added. Throws ContradictionError for a phase beyond the
  /// ciphertext's bound. flooding: of this context.
  Plaintext revealed(const Ciphertext& ciphertext, const rlwe::SecretKey& key, const rlwe::Flooding& flooding) const;

 private:
  std::shared_ptr<const BaseConversion> message_lift(Level level, PlainIndex plain,
                                                     std::uint64_t correction) const override;
  NoiseBound message_noise(PlainIndex plain) const override;
  Plaintext open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const override;
  Plaintext round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const override;
  scheme::NoiseGauge gauge(const Ciphertext& ciphertext) const override;
  Plaintext reveal_from(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                        Seed&& seed) const override;
  Ciphertext rerandomize_from(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) const override;

  SpecialTransform transform_;
  std::vector<double> scales_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::unique_ptr<DivideAndRound>> divisions_;
  mutable std::map<std::size_t, std::shared_ptr<const BaseConversion>> lifts_;
};

using ContextPtr = std::shared_ptr<const Context>;

}  // namespace cyclotome::ckks
