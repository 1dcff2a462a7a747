// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/basis.hpp"

// What is done with one coefficient after conversions, the same on the host and on devices.
namespace cyclotome::study::fermat {

/// Peaks are fractions of 1 in units of 2^-56.
inline constexpr unsigned peak_bits = 56;

/// A message, and how far t x/q was from it.
struct Rounded {
  std::uint64_t message, distance;
};

/// Decryption by BEHZ (specification 5.4): from [-q^-1 |gamma t x|_q] modulo t and gamma. Distances are in units of
/// 1/gamma.
struct BehzRounding {
  Modulus<std::uint64_t> t, gamma;
  std::uint64_t inverse_of_gamma;  ///< modulo t

  /// No branch on the values.
  CYCLOTOME_HD constexpr Rounded operator()(std::uint64_t modulo_t, std::uint64_t modulo_gamma) const noexcept {
    // [s_gamma] centred: what is left of t x/q beside an integer, times gamma.
    const std::uint64_t s = modulo_gamma, g = gamma.value(), over = mask_if<std::uint64_t>(s > g / 2);
    const std::uint64_t centred = t.reduce_signed(static_cast<std::int64_t>(s - (g & over)));
    return {t.multiply(t.subtract(modulo_t, centred), inverse_of_gamma), (s & ~over) | ((g - s) & over)};
  }
};

/// q = 2^g - 1 as one integer of so many words.
struct PositionalRounding {
  Modulus<std::uint64_t> t;
  unsigned words;
};

/// t x + floor(q/2) = high 2^g + low, and what low + high became: `carry` out of it, the AND of its words, its top
/// word.
CYCLOTOME_HD constexpr Rounded round_top(const Modulus<std::uint64_t>& t, std::uint64_t high, std::uint64_t carry,
                                         std::uint64_t all, std::uint64_t top) noexcept {
  const std::uint64_t is_q = mask_if<std::uint64_t>(all == ~std::uint64_t{0});
  // What is left over q, less the half: from the top word alone. All ones is q, which leaves nothing.
  const auto left = static_cast<std::int64_t>((top & ~is_q) - (std::uint64_t{1} << 63));
  const auto sign = static_cast<std::uint64_t>(left >> 63);
  return {t.reduce(high + (carry | (is_q & 1))), (static_cast<std::uint64_t>(left) ^ sign) >> (64 - peak_bits)};
}

/// Of Shenoy and Kumaresan's conversion from B with a redundant modulus behind it: how the number of wraps comes out of
/// y_j = |x (B/b_j)^-1|_{b_j} and |x| modulo the redundant modulus.
struct RedundantModulus {
  Modulus<std::uint64_t> modulus;
  std::vector<std::uint64_t> weights;  ///< B/b_j modulo it
  std::uint64_t inverse;               ///< of B modulo it

  /// sum: of y_j B/b_j, modulo it. The wraps, centred; no branch.
  CYCLOTOME_HD static constexpr std::int64_t wraps(std::uint64_t sum, std::uint64_t residue,
                                                   const Modulus<std::uint64_t>& m, std::uint64_t inverse) noexcept {
    const std::uint64_t alpha = m.multiply(m.subtract(sum, residue), inverse);
    return static_cast<std::int64_t>(alpha - (m.value() & mask_if<std::uint64_t>(alpha > m.value() / 2)));
  }
};

/// y/b in units of 2^-64, for a modulus b of so many bits: ToLimb::centred_wraps.
struct Fraction {
  std::uint64_t reciprocal, bits;

  CYCLOTOME_HD static constexpr Fraction of(std::uint64_t modulus, unsigned bits) noexcept {
    return {static_cast<std::uint64_t>(((static_cast<u128>(1) << (bits + 63)) - 1) / modulus), bits};
  }
  CYCLOTOME_HD constexpr std::uint64_t operator()(std::uint64_t y) const noexcept {
    return static_cast<std::uint64_t>((static_cast<u128>(y) * reciprocal) >> (bits - 1));
  }
};

/// `width` bits at `shift` of a word and the one above it.
CYCLOTOME_HD constexpr std::uint64_t bits_of(std::uint64_t word, std::uint64_t above, unsigned shift,
                                             unsigned width) noexcept {
  const std::uint64_t from_above = shift == 0 ? 0 : above << (64 - shift);
  return ((word >> shift) | from_above) & ((std::uint64_t{1} << width) - 1);
}

}  // namespace cyclotome::study::fermat
