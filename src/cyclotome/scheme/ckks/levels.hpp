// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cyclotome::ckks {

/// The scale of every level, the lowest first: that of level l is sqrt(scale of l - 1 times prime l), so that a product
/// of two numbers of a level, divided by its last prime, has the scale of the level below. Deviations of the primes
/// from each other halve from level to level; defined from the top they would double.
std::vector<double> level_scales(const std::vector<std::uint64_t>& moduli, double lowest);

/// What the doubles are off by: |scale(l)^2 / (q_l scale(l - 1)) - 1| is below it, and so for every other quotient of
/// three scales and primes.
inline constexpr double scale_deviation = 0x1p-50;

/// Primes for `count` levels above the lowest, as near to 2^bits as there are, on alternating sides of it, none of
/// `excluded`. Throws ParameterError where there are too few.
std::vector<std::uint64_t> level_primes(unsigned bits, std::uint64_t step, std::size_t count,
                                        const std::vector<std::uint64_t>& excluded);

}  // namespace cyclotome::ckks
