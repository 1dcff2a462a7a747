// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/circuit/writer.hpp"

namespace cyclotome::circuit {

/// How the bits of a number count.
enum class Sign : bool {
  none,            ///< 0 to 2^bits - 1
  twos_complement  ///< the most significant bit counts -2^(bits - 1)
};

/// What is known of two numbers; wires of bits, 0 or 1 modulo t.
struct Comparison {
  Wire less;                  ///< x < y
  std::optional<Wire> equal;  ///< if it was asked for
};

/// Compares two numbers of as many bits, the least significant first (specification 2.4). Depth 1 + ceil(log2 bits);
/// for t = 2 and a power of two, 3 bits - 2 - log2 bits products without `equal`. Throws ArgumentError for none, or
/// unequal numbers of bits.
Comparison compare(Writer& writer, std::span<const Wire> x, std::span<const Wire> y, Sign sign, bool needs_equal);
/// Whether two numbers have the same bits: ceil(log2 bits) products one after the other; one more for t > 2.
Wire equality(Writer& writer, std::span<const Wire> x, std::span<const Wire> y);
/// 1 - x.
Wire negated(Writer& writer, Wire x);
/// The product of bits, by a tree.
Wire conjunction(Writer& writer, std::vector<Wire> bits);

/// Circuits of their own: inputs "left" and "right" of so many bits each, the least significant first; output "result".
Circuit less_circuit(std::size_t bits, Sign sign, std::uint64_t modulus = 2);
/// Whether they are equal, likewise.
Circuit equal_circuit(std::size_t bits, std::uint64_t modulus = 2);

/// The most bits that a number may have.
inline constexpr std::size_t most_bits = 64;

}  // namespace cyclotome::circuit
