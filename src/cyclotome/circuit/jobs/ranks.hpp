// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/writer.hpp"

namespace cyclotome::circuit {

/// How many of some bits are set, as bits, the least significant first: full and half adders, one product each, so as
/// many as carries can be, count - popcount(count). Bit k has depth k above the deepest operand. t = 2; none of no
/// bits.
std::vector<Wire> bit_count(Writer& writer, std::span<const Wire> bits);

/// For each value below `count` whether a number has it, from its bits; values from `count` on must not occur. One
/// product for both children of a node; depth ceil(log2 count) above bits that bit_count made. t = 2.
std::vector<Wire> one_hot_of_bits(Writer& writer, std::span<const Wire> bits, std::size_t count);

/// For each value below `wanted` whether `x`, which is in [0, count), has it: Lagrange's polynomials of degree count -
/// 1, whose powers are made once. t a prime from `count` on.
std::vector<Wire> one_hot_of_number(Writer& writer, Wire x, std::size_t count, std::size_t wanted);

}  // namespace cyclotome::circuit
