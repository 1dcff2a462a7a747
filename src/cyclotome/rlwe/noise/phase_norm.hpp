// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"

namespace cyclotome::rlwe {

/// For every batch item of `polynomials` (1 part, coefficient domain): the largest |[factor * x]_Q| over its
/// coefficients x, Q the product of its basis. Exact, on the host, not constant-time: for noise measurement by the
/// key's owner.
std::vector<BigUnsigned> largest_coefficients(const PolyArray& polynomials, std::uint64_t factor = 1);

}  // namespace cyclotome::rlwe
