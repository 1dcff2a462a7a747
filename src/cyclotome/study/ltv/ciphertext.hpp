// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/draw.hpp"
#include "cyclotome/study/ltv/slots.hpp"

namespace cyclotome::study::ltv {

/// One ciphertext: a polynomial c in the CRT domain with f^key_power c = message + even noise modulo q_i. A product has
/// key_power 2 until it is relinearised; f being odd, it may be added to others before (specification 2.2).
struct Ciphertext {
  ParametersPtr parameters;
  KeyId key;
  Polynomial polynomial;
  unsigned key_power;
  double log2_phase;  ///< estimate of log2 V of the phase (NoiseModel)

  Estimate estimate() const noexcept { return {key_power, log2_phase}; }
  std::size_t level() const noexcept { return parameters->levels() - polynomial.primes; }
  /// Bits that the phase may grow until decryption refuses; negative: it refuses.
  double headroom() const noexcept;
  /// Whether it hides nothing even from who can't reduce lattices: c = 0, as in x * 0.
  bool transparent() const noexcept;
};

}  // namespace cyclotome::study::ltv
