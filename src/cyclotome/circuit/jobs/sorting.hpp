// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/jobs/comparison.hpp"

namespace cyclotome::circuit {

/// Numbers to put in order.
struct Sorting {
  std::size_t count;        ///< how many numbers: 1 to 64
  std::size_t bits;         ///< of each: 1 to 64
  std::size_t carried = 0;  ///< bits of what each number carries along: 0 to 64
  std::size_t kept = 0;     ///< only the first so many of the result; 0: all
  /// How the bits of a number count.
  Sign sign = Sign::none;
  /// Whether the largest comes first.
  bool descending = false;
  std::uint64_t modulus = 2;  ///< 2, or a prime above 64
};

/// Sorting by rank (Cetin, Doroz, Sunar, Savas, 2015; specification 2.4): every pair is compared once, the rank of a
/// number is how many come before it, and a result is the sum of all numbers, each times whether its rank is that one.
/// Equal numbers stay in their order, ascending and descending.
///
/// Inputs "values", and "carried" if there is any: item after item, the least significant bit first.
///
/// modulus 2: ranks are bits, made by full adders. Depth log2 bits + log2 count + 2. Outputs as the inputs.
/// modulus above 64: a rank is a plain sum, of depth 0, and whether it is r a polynomial of Lagrange's. The outputs are
/// whole words of word_bits(modulus) bits each, the least significant first: fewer products, each with far more noise.
///
/// Throws ArgumentError for numbers out of these ranges.
Circuit sort_circuit(const Sorting& sorting);
/// The first of the largest numbers (or smallest: not descending). Outputs "index", the bits of its number, the least
/// significant first (modulus above 64: one word; none for one number), and "mask", a wire for each number.
Circuit argmax_circuit(const Sorting& sorting);

/// How many bits an output word holds: 1 for modulus 2, else what fits below the modulus.
std::size_t word_bits(std::uint64_t modulus);

/// The most numbers that are sorted.
inline constexpr std::size_t most_numbers = 64;

}  // namespace cyclotome::circuit
