// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"

namespace cyclotome {

/// The integers in [0, q) that the coefficients of `polynomials` (coefficient domain) stand for, in the order batch,
/// part, coefficient. For decoding on the host; not constant-time.
std::vector<BigUnsigned> integers(const PolyArray& polynomials);
/// The way back, for integers of any size: polynomials (coefficient domain) of `parts` parts each, as many as there are
/// integers for. Throws ArgumentError unless their number is a positive multiple of parts times n.
PolyArray residues(const EnginePtr& engine, const RingPtr& ring, std::size_t parts,
                   const std::vector<BigUnsigned>& integers);

}  // namespace cyclotome
