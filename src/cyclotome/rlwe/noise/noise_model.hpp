// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/rlwe/noise/parameter_noise.hpp"

namespace cyclotome::rlwe {

/// Noise bounds of a computation before there are keys or ciphertexts: the same formulas that operations attach to
/// their results. Scheme::noise_model makes them.
class NoiseModel {
 public:
  /// A ciphertext as far as noise is concerned.
  struct State {
    NoiseBound noise;
    Level level;
    std::uint64_t correction = 1;  ///< the phase is this times the message, modulo t
  };

  NoiseModel(const Parameters& parameters, PlainIndex plain) : parameters_(parameters), plain_(plain) {}
  NoiseModel(const NoiseModel&) = delete;
  NoiseModel& operator=(const NoiseModel&) = delete;
  virtual ~NoiseModel() = default;

  /// A fresh public-key encryption.
  State fresh() const;
  /// A product of 3 parts, after the modulus switches that the scheme makes by itself. Throws UnsupportedError by
  /// default: the scheme has no products.
  virtual State multiplied(const State& a, const State& b) const;
  /// The relinearised square.
  State squared(const State& a) const { return relinearized(multiplied(a, a)); }
  State relinearized(const State& a) const;
  /// Of a + b, both at one level.
  virtual State added(const State& a, const State& b) const;
  /// Of one array of them all, one or more at one level, in this order.
  virtual State joined(std::span<const State> members) const;
  /// At a lower level, with so many parts. Throws ArgumentError by default unless it is there: the scheme has no
  /// levels.
  virtual State lowered(const State& a, Level level, std::size_t parts = 2) const;
  /// The sum with a plaintext.
  State with_plain(const State& a) const { return with_noise(a, calculus().sum(a.noise, message_noise())); }
  /// Sums of `count` of its like.
  State summed(const State& a, double count) const;
  /// The product with a plaintext vector of slots as large as random ones are: norms 4 t sqrt(n/12) and t sqrt(n/12).
  State times_plain(const State& a) const;
  /// After one rotation.
  State rotated(const State& a) const;
  /// Bits until decryption refuses.
  virtual double headroom(const State& a) const = 0;

 protected:
  /// a with another noise.
  static State with_noise(const State& a, const NoiseBound& noise) { return {noise, a.level, a.correction}; }
  const Parameters& parameters() const noexcept { return parameters_; }
  PlainIndex plain() const noexcept { return plain_; }
  const NoiseCalculus& calculus() const noexcept { return parameters_.noise(); }
  /// What a message adds to an encryption of zero.
  virtual NoiseBound message_noise() const = 0;

 private:
  using SwitchNoise = NoiseBound (&)(const Parameters&, PlainIndex, Level);
  State switched(const State& a, std::size_t parts, SwitchNoise added) const;

  const Parameters& parameters_;
  PlainIndex plain_;
};

}  // namespace cyclotome::rlwe
