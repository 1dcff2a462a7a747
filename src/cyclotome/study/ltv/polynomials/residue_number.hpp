// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "cyclotome/math/modulus.hpp"

// One coefficient on its way between domains, and from one level to the next: what a thread of a kernel does. For host
// and device. Large integers are 32-bit words, least significant first.
namespace cyclotome::study::ltv {

/// Words of the longest q: 40 primes of 24 bits, 64 of 30 bits at most.
inline constexpr unsigned most_words = 61;

/// x mod p, x of `count` words that lie `stride` apart: CRT.
CYCLOTOME_HD constexpr std::uint32_t residue_of(const std::uint32_t* x, unsigned count, std::size_t stride,
                                                const Modulus<std::uint32_t>& p) noexcept {
  std::uint32_t residue = 0;
  for (unsigned i = count; i-- > 0;) residue = p.reduce_wide(static_cast<std::uint64_t>(residue) << 32 | x[i * stride]);
  return residue;
}

/// Constants of one level, for ICRT: q = product of p_j, j < primes.
struct LevelConstants {
  unsigned primes, words;  ///< words of a coefficient below q
  const Modulus<std::uint32_t>* moduli;
  const std::uint32_t* product;      ///< q, `words` words
  const std::uint32_t* cofactors;    ///< Q*_j = q/p_j, `words` words each
  const std::uint32_t* inverses;     ///< Q+_j = (q/p_j)^-1 mod p_j
  const std::uint64_t* reciprocals;  ///< floor(2^64/p_j)
};

/// out = x mod q in [0, q) from its residues, which lie `stride` apart: sum of Q*_j (Q+_j x_j mod p_j), minus q times
/// the whole part of sum of (Q+_j x_j mod p_j)/p_j. That is known to less than 2^-27, from below.
CYCLOTOME_HD constexpr void integer_of(std::uint32_t* out, const std::uint32_t* residues, std::size_t stride,
                                       const LevelConstants& level) noexcept {
  std::uint32_t sum[most_words + 1] = {};
  u128 fraction = 0;
  for (unsigned j = 0; j < level.primes; ++j) {
    const std::uint32_t y = level.moduli[j].multiply(residues[j * stride], level.inverses[j]);
    fraction += static_cast<u128>(level.reciprocals[j]) * y;
    const std::uint32_t* const cofactor = level.cofactors + static_cast<std::size_t>(j) * level.words;
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < level.words; ++i) {
      carry += static_cast<std::uint64_t>(cofactor[i]) * y + sum[i];
      sum[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    sum[level.words] += static_cast<std::uint32_t>(carry);
  }
  const auto whole = static_cast<std::uint64_t>(fraction >> 64);
  std::uint64_t carry = 0;
  std::uint32_t borrow = 0;
  for (unsigned i = 0; i < level.words; ++i) {
    carry += level.product[i] * whole;
    const std::uint64_t difference = static_cast<std::uint64_t>(sum[i]) - static_cast<std::uint32_t>(carry) - borrow;
    sum[i] = static_cast<std::uint32_t>(difference);
    borrow = static_cast<std::uint32_t>(difference >> 63);
    carry >>= 32;
  }
  sum[level.words] -= static_cast<std::uint32_t>(carry) + borrow;
  // Below 2q now: once more where the whole part was one too small.
  borrow = 0;
  for (unsigned i = 0; i < level.words; ++i) {
    const std::uint64_t difference = static_cast<std::uint64_t>(sum[i]) - level.product[i] - borrow;
    out[i] = static_cast<std::uint32_t>(difference);
    borrow = static_cast<std::uint32_t>(difference >> 63);
  }
  const std::uint32_t keep = mask_if<std::uint32_t>(sum[level.words] < borrow);
  for (unsigned i = 0; i < level.words; ++i) out[i] = (out[i] & ~keep) | (sum[i] & keep);
}

/// Digit `number` of x in base 2^window, window at most 31: what relinearisation multiplies keys with.
CYCLOTOME_HD constexpr std::uint32_t digit_of(const std::uint32_t* x, unsigned count, unsigned number,
                                              unsigned window) noexcept {
  const unsigned bit = number * window, word = bit / 32;
  const std::uint64_t low = word < count ? x[word] : 0, high = word + 1 < count ? x[word + 1] : 0;
  return static_cast<std::uint32_t>((high << 32 | low) >> (bit % 32)) & ((1U << window) - 1);
}

/// delta with delta = a mod p and delta even, in (-p, p) (Algorithm 4 with erratum 002-1): a itself, or a - p. Dividing
/// a polynomial minus its delta by p keeps it modulo 2, and delta/p has mean 0. p odd, a in [0, p).
CYCLOTOME_HD constexpr std::int32_t even_remainder(std::uint32_t a, std::uint32_t p) noexcept {
  return static_cast<std::int32_t>(a) - static_cast<std::int32_t>(p & (0U - (a & 1)));
}

/// (a - delta) p^-1 mod p_j (erratum 002-2): a in [0, p_j), |delta| < 2^31.
CYCLOTOME_HD constexpr std::uint32_t divided_residue(std::uint32_t a, std::int32_t delta, std::uint32_t inverse_of_p,
                                                     const Modulus<std::uint32_t>& p_j) noexcept {
  return p_j.multiply(p_j.subtract(a, p_j.reduce_signed(delta)), inverse_of_p);
}

}  // namespace cyclotome::study::ltv
