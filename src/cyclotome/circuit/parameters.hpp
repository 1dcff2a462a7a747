// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "cyclotome/circuit/circuit.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"

namespace cyclotome::circuit {

/// The cheapest parameters in one ring that carry every one of some circuits from fresh encryptions on; nothing if
/// security allows none. Layers take about as many bits each, so ciphertext primes are as narrow as the circuits allow,
/// one for each layer or for two, which leaves most room for special primes and so fewest digits. base: scheme, ring,
/// plaintext modulus, word and security; its primes are not read. Throws ArgumentError for no circuit, MismatchError
/// for one with another modulus.
std::optional<rlwe::Parameters> parameters_for(std::span<const Circuit* const> circuits,
                                               const rlwe::ParametersLiteral& base);

}  // namespace cyclotome::circuit
