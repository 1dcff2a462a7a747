// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/noise.hpp"
#include "cyclotome/rlwe/parameters.hpp"

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
  /// Sums of `count` equals or products with plaintexts of canonical norm `count`.
  State scaled(const State& a, double count) const;
  /// After one rotation.
  State rotated(const State& a) const;
  /// Bits until decryption refuses.
  double headroom(const State& a) const;
  /// What a plaintext vector of slots multiplies noise by, typically: 4 t sqrt(n/12).
  double plain_norm() const;

 private:
  double log2_q(std::size_t limbs) const { return log2_products_[limbs - 1]; }
  double key_switch_deviation(std::size_t limbs) const;

  const rlwe::Parameters& parameters_;
  std::size_t plain_;
  bool bgv_;
  std::uint64_t plain_modulus_;
  double error_multiplier_ = 1, log2_special_ = 0;
  std::vector<double> log2_primes_, log2_products_;
};

}  // namespace cyclotome::scheme
