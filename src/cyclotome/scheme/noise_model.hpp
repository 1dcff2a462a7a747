// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/parameter_noise.hpp"

namespace cyclotome::scheme {

/// Noise bounds of a computation before there are keys or ciphertexts: the same formulas that operations attach to
/// their results.
class NoiseModel {
 public:
  /// A ciphertext as far as noise is concerned.
  struct State {
    rlwe::NoiseBound noise;
    std::size_t limbs;  ///< level
  };

  /// plain: number of the plaintext modulus. The parameters must outlive the model.
  NoiseModel(const rlwe::Parameters& parameters, std::size_t plain);

  /// A fresh public-key encryption.
  State fresh() const;
  /// The relinearised square, after the modulus switches that the scheme makes by itself.
  State squared(const State& a) const;
  /// Sums of `count` of its like.
  State summed(const State& a, double count) const;
  /// The product with a plaintext vector of slots as large as random ones are: norms 4 t sqrt(n/12) and t sqrt(n/12).
  State times_plain(const State& a) const;
  /// After one rotation.
  State rotated(const State& a) const;
  /// Bits until decryption refuses.
  double headroom(const State& a) const;

 private:
  const rlwe::NoiseCalculus& calculus() const noexcept { return parameters_.noise(); }

  const rlwe::Parameters& parameters_;
  std::size_t plain_;
  bool bgv_;
};

}  // namespace cyclotome::scheme
