// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/scheme.hpp"

// What digit removal multiplies and adds: ciphertexts, or their noise alone, by the same steps in the same order.
namespace cyclotome::bfv {

/// Of ciphertexts modulo p^2. keys: of their context, with a relinearisation key.
struct CiphertextOperations {
  const rlwe::EvaluationKeys& keys;

  rlwe::Ciphertext square(const rlwe::Ciphertext& a) const { return scheme::square_relinearized(a, keys); }
  rlwe::Ciphertext multiply(const rlwe::Ciphertext& a, const rlwe::Ciphertext& b) const {
    return scheme::multiply_relinearized(a, b, keys);
  }
  rlwe::Ciphertext add(const rlwe::Ciphertext& a, const rlwe::Ciphertext& b) const { return scheme::add(a, b); }
  rlwe::Ciphertext times(const rlwe::Ciphertext& a, std::int64_t factor) const {
    return rlwe::multiply_scalar(a, factor);
  }
  /// The same in every slot: in the first coefficient.
  rlwe::Ciphertext add_constant(const rlwe::Ciphertext& a, std::int64_t constant) const {
    const rlwe::ContextPtr& context = a.context();
    const std::uint64_t t = a.plain_modulus().value;
    std::vector<std::uint64_t> residues(context->degree(), 0);
    residues[0] = static_cast<std::uint64_t>(constant) + (constant < 0 ? t : 0);
    PolyArray polynomial = context->make(context->plain_ring(a.plain()), 1, 1);
    polynomial.from_host(residues);
    return scheme::add_plain(a, rlwe::Plaintext(context, a.plain(), std::move(polynomial)));
  }
};

/// Of their noise.
struct NoiseOperations {
  const rlwe::NoiseModel& model;
  using State = rlwe::NoiseModel::State;

  State square(const State& a) const { return model.squared(a); }
  State multiply(const State& a, const State& b) const { return model.relinearized(model.multiplied(a, b)); }
  State add(const State& a, const State& b) const { return model.added(a, b); }
  State times(const State& a, std::int64_t factor) const {
    return {rlwe::NoiseCalculus::times(a.noise, static_cast<double>(factor)), a.level, a.correction};
  }
  State add_constant(const State& a, std::int64_t) const { return model.with_plain(a); }
};

}  // namespace cyclotome::bfv
