// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/limbs/rounding.hpp"

// q = 2^g - 1 as one integer, g a multiple of 64: 2^g is 1, so that floor(A/q) is the sum of A's upper chunks of g
// bits, and 1 more where what is left reaches q. Rows are words[word][coefficient]; `count` coefficients from `first`
// on.
namespace cyclotome::study::fermat::positional {

/// Words of products: 2^(2g + 128) - 1 holds every one of them, or it less 0.
constexpr std::size_t product_words(std::size_t words) noexcept { return 2 * words + 2; }

/// messages = round(t x/q) mod t; gives the largest distance of t x/q from an integer, in units of 2^-56. No branch on
/// the values.
std::uint64_t round(std::uint64_t* messages, const std::uint64_t* phase, const PositionalRounding& rounding,
                    std::size_t degree, std::size_t first, std::size_t count);
/// out = round(t D/q) mod q for integers |D| < n q^2, given modulo 2^(2g + 128) - 1.
void divide(std::uint64_t* out, const std::uint64_t* products, const PositionalRounding& rounding, std::size_t degree,
            std::size_t first, std::size_t count);
/// residues -= q where the integer is above q/2; q_mod: modulo each.
void centre(std::uint64_t* residues, const std::uint64_t* rows, const Basis& basis,
            const std::vector<std::uint64_t>& q_mod, const PositionalRounding& rounding, std::size_t degree,
            std::size_t first, std::size_t count);
/// 2^(64 words) - 1 modulo each of a basis.
std::vector<std::uint64_t> modulus_mod(const Basis& basis, std::size_t words);

}  // namespace cyclotome::study::fermat::positional
