// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/randomness/seed.hpp"

namespace cyclotome {

/// The laws that polynomials are drawn from.
enum class Law : std::uint8_t {
  uniform,  ///< every residue uniform in [0, q_i), independent limbs; bias below 2^-66
  ternary,  ///< -1, 0, 1 with probability 1/3 each (bias below 2^-63), one integer polynomial in all limbs
  error     ///< centred binomials of 21 pairs, sigma = sqrt(10.5) = 3.24, one integer polynomial in all limbs; how
            ///< they make coefficients the ring says (error_sums.hpp)
};

/// Standard deviation and largest magnitude of one of Law::error's numbers.
inline constexpr double error_deviation = 3.2403703492039302;
inline constexpr int error_bound = 21;

/// Which stream of a seed a polynomial is drawn from, so that no two draws of one seed overlap. Above this layer every
/// object has seeds of its own besides (rlwe/keys/seed_derivation.hpp); the numbers of switching_key_uniform and
/// symmetric_uniform belong to the wire format, since published seeds expand with them.
enum class Stream : std::uint32_t {
  secret = 1,
  public_uniform = 2,
  public_error = 3,
  switching_key_uniform = 4,
  switching_key_error = 5,
  encryption_ternary = 6,
  encryption_error = 7,
  symmetric_uniform = 8,
  symmetric_error = 9,
  flooding = 10
};

// The address of every draw: key = seed, nonce = (stream * 2^16 + part, batch item, limb), block = coefficient / draws
// per block. So any engine can produce any coefficient in any order. `ternary` and `error` use limb 0 for all limbs.
// Draw c is that of the coefficient at place c in memory, but for errors of rings that sum several draws.

/// 128 bits of the stream per uniform residue: a 64-byte block holds four.
inline constexpr std::size_t uniform_draws_per_block = 4;
/// 64 bits of the stream per ternary or error coefficient: a block holds eight.
inline constexpr std::size_t small_draws_per_block = 8;

/// floor(r q / 2^128) for the 128-bit r = high 2^64 + low: uniform in [0, q) up to a bias of q 2^-128.
CYCLOTOME_HD constexpr std::uint64_t uniform_residue(std::uint64_t low, std::uint64_t high, std::uint64_t q) noexcept {
  const u128 top = static_cast<u128>(high) * q;
  return static_cast<std::uint64_t>((top + multiply_high(low, q)) >> 64);
}

/// A uniform 64-bit word -> -1, 0 or 1. Constant time.
CYCLOTOME_HD constexpr int ternary_value(std::uint64_t random) noexcept {
  return static_cast<int>(multiply_high<std::uint64_t>(random, 3)) - 1;
}

/// Number of ones in the low 21 bits, by arithmetic only (constant time on every target).
CYCLOTOME_HD constexpr std::uint32_t count_ones_21(std::uint32_t x) noexcept {
  x &= 0x1fffff;
  x = x - ((x >> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f;
  return (x * 0x01010101) >> 24;
}

/// A uniform 64-bit word -> centred binomial in [-21, 21]. Constant time.
CYCLOTOME_HD constexpr int error_value(std::uint64_t random) noexcept {
  return static_cast<int>(count_ones_21(static_cast<std::uint32_t>(random))) -
         static_cast<int>(count_ones_21(static_cast<std::uint32_t>(random >> 21)));
}

/// A small signed integer -> residue in [0, q), |x| < q. Constant time.
template <LimbWord W>
CYCLOTOME_HD constexpr W small_residue(int x, W q) noexcept {
  return static_cast<W>(static_cast<W>(x) + (q & mask_if<W>(x < 0)));
}

}  // namespace cyclotome
