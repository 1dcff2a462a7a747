// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/parameters.hpp"

#include <algorithm>

#include "cyclotome/circuit/plan.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/security.hpp"
#include "cyclotome/scheme/planning.hpp"

namespace cyclotome::circuit {

std::optional<rlwe::Parameters> parameters_for(const Circuit& circuit, const rlwe::ParametersLiteral& base) {
  const unsigned cap = rlwe::max_modulus_bits(base.degree, base.security, base.table);
  const auto carrying = [&](unsigned bits) -> std::optional<rlwe::Parameters> {
    check_interrupt();
    try {
      rlwe::Parameters candidate = scheme::with_modulus_bits(base, bits);
      if (plan(circuit, candidate).carried) return candidate;
    } catch (const ParameterError&) {  // shorter than one prime, or too long for the ring
    }
    return std::nullopt;
  };
  constexpr unsigned stride = 16;
  // A level takes more than 8 bits, so shorter moduli need not be looked at.
  for (unsigned bits = 8 * (circuit.depth() + 1); bits < cap + stride; bits += stride) {
    if (!carrying(std::min(bits, cap))) continue;
    for (unsigned shorter = std::min(bits, cap) - std::min(bits, stride) + 1;; ++shorter) {
      if (auto found = carrying(std::min(shorter, cap))) return found;
    }
  }
  return std::nullopt;
}

}  // namespace cyclotome::circuit
