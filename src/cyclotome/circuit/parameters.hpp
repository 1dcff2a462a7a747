// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/circuit/circuit.hpp"
#include "cyclotome/rlwe/parameters.hpp"

namespace cyclotome::circuit {

/// The smallest modulus in one ring that carries a circuit from fresh encryptions on, with the special primes that are
/// cheapest there; nothing if security allows none. base: scheme, ring, plaintext modulus, word and security; its
/// primes are not read.
std::optional<rlwe::Parameters> parameters_for(const Circuit& circuit, const rlwe::ParametersLiteral& base);

}  // namespace cyclotome::circuit
