// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/big_unsigned.hpp"

namespace cyclotome {

/// The integers in [0, q) that the coefficients of `polynomials` (coefficient domain) stand for, in the order batch,
/// part, coefficient. For decoding on the host; not constant-time.
std::vector<BigUnsigned> integers(const PolyArray& polynomials);

}  // namespace cyclotome
