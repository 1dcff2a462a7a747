// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/reals/real_arithmetic.hpp"

namespace cyclotome::value {

/// x @ w of a public vector (l,) or matrix (l, m), by diagonals: y[..., j] = sum over i of x[..., i] w[i, j], with
/// rotations shared by all and one division in the end (rlwe/switching/linear_transform.hpp). One level. Rows have to
/// fit one ciphertext. Throws ArgumentError for shapes that don't fit, and as real_arithmetic.hpp says.
RealArray matmul(const RealArray& x, const Reals& w);
/// y[..., j] = x[..., numbers[j]]: one level.
RealArray gather(const RealArray& x, const Indices& numbers);

}  // namespace cyclotome::value
