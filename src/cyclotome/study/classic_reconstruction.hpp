// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <vector>

#include "cyclotome/math/word.hpp"
#include "cyclotome/ring/ring.hpp"

// The two classic ways from residues to integers that paper 000's Table 2 sets beside Garner's: its Equation 1, in
// 32-bit words.
namespace cyclotome::study {

enum class ClassicSum : std::uint8_t {
  division,    ///< the sum is reduced at the end ("MP-mod"), by Algorithm 14.20 of the Handbook of Applied Cryptography
  subtraction  ///< m is subtracted after each term where the sum reaches it ("MP-sub", as cuHE does)
};

/// A reconstruction has at most so many moduli.
inline constexpr std::size_t most_classic_limbs = 64;

/// Constants of m = m_0 ... m_(r-1); pointers so that they may lie on a device.
struct ClassicConstants {
  std::uint32_t limbs, size;       ///< r; 32-bit words of m
  std::uint32_t words;             ///< 64-bit words of m
  std::uint32_t shift;             ///< that brings m's highest bit to the top of its last word
  const std::uint32_t* moduli;     ///< m_i
  const std::uint32_t* inverses;   ///< (m/m_i)^-1 mod m_i
  const std::uint32_t* punctured;  ///< m/m_i, `size` words each
  const std::uint32_t* modulus;    ///< m
  const std::uint32_t* shifted;    ///< m 2^shift
};

/// The same on the host.
class ClassicReconstruction {
 public:
  /// Throws ParameterError for more than `most_classic_limbs` moduli, and for words of 64 bits.
  explicit ClassicReconstruction(const RingPtr& ring);

  ClassicConstants constants() const noexcept;
  /// 64-bit words of an integer: those of `MixedRadix::words`.
  std::size_t words() const noexcept { return (size + 1) / 2; }

  RingPtr ring;
  std::uint32_t size = 0, shift = 0;
  std::vector<std::uint32_t> moduli, inverses, punctured, modulus, shifted;
};

namespace classic {

inline constexpr std::size_t most_words = most_classic_limbs + 1;

/// sum (size + 1 words) += factor times `number` (size words).
CYCLOTOME_HD constexpr void add_multiple(std::uint32_t* sum, std::uint32_t factor, const std::uint32_t* number,
                                         std::uint32_t size) noexcept {
  std::uint64_t carry = 0;
  for (std::uint32_t w = 0; w < size; ++w) {
    carry += static_cast<std::uint64_t>(factor) * number[w] + sum[w];
    sum[w] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  sum[size] += static_cast<std::uint32_t>(carry);
}

/// sum (size + 1 words) -= m if it reaches m: the branch that paper 000 finds not suited to a GPU.
CYCLOTOME_HD constexpr void subtract_if_reached(std::uint32_t* sum, const std::uint32_t* m,
                                                std::uint32_t size) noexcept {
  if (sum[size] == 0) {
    std::uint32_t w = size;
    while (w > 0 && sum[w - 1] == m[w - 1]) --w;
    if (w > 0 && sum[w - 1] < m[w - 1]) return;
  }
  std::uint64_t borrow = 0;
  for (std::uint32_t w = 0; w < size; ++w) {
    const std::uint64_t difference = static_cast<std::uint64_t>(sum[w]) - m[w] - borrow;
    sum[w] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 63;
  }
  sum[size] -= static_cast<std::uint32_t>(borrow);
}

/// x (size + 1 words, x < 2^32 m) modulo m, whose top bit is set: a digit of the quotient, at most one too large, and x
/// minus that many m, corrected (Handbook of Applied Cryptography, 14.20, steps 3.1 to 3.4).
CYCLOTOME_HD constexpr void divide_step(std::uint32_t* x, const std::uint32_t* m, std::uint32_t size) noexcept {
  const std::uint64_t top = (static_cast<std::uint64_t>(x[size]) << 32) | x[size - 1], lead = m[size - 1];
  std::uint64_t digit = x[size] >= lead ? 0xffffffffU : top / lead;
  std::uint64_t rest = top - digit * lead;
  const std::uint64_t below = size > 1 ? x[size - 2] : 0, next = size > 1 ? m[size - 2] : 0;
  while (rest >> 32 == 0 && digit * next > ((rest << 32) | below)) {
    --digit;
    rest += lead;
  }
  std::uint64_t borrow = 0, carry = 0;
  for (std::uint32_t w = 0; w < size; ++w) {
    carry += digit * m[w];
    const std::uint64_t difference = static_cast<std::uint64_t>(x[w]) - static_cast<std::uint32_t>(carry) - borrow;
    x[w] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 63;
    carry >>= 32;
  }
  const std::uint64_t difference = static_cast<std::uint64_t>(x[size]) - carry - borrow;
  x[size] = static_cast<std::uint32_t>(difference);
  if (difference >> 63 == 0) return;
  carry = 0;
  for (std::uint32_t w = 0; w < size; ++w) {  // the digit was one too large
    carry += static_cast<std::uint64_t>(x[w]) + m[w];
    x[w] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  x[size] += static_cast<std::uint32_t>(carry);
}

/// sum (size + 1 words) modulo m: shifted, divided, shifted back. The sum is below 2^6 m, so the quotient is one digit.
CYCLOTOME_HD constexpr void reduce_sum(std::uint32_t* sum, const ClassicConstants& t) noexcept {
  const std::uint32_t s = t.shift;
  for (std::uint32_t w = t.size; w > 0; --w) {
    sum[w] = s == 0 ? sum[w] : (sum[w] << s) | (sum[w - 1] >> (32 - s));
  }
  sum[0] <<= s;
  divide_step(sum, t.shifted, t.size);
  for (std::uint32_t w = 0; w < t.size; ++w) {
    sum[w] = s == 0 ? sum[w] : (sum[w] >> s) | (sum[w + 1] << (32 - s));
  }
}

}  // namespace classic

/// The integer in [0, m) of residues[i * stride] modulo m_i, little-endian into 64-bit words[w * word_stride].
template <ClassicSum How>
CYCLOTOME_HD constexpr void reconstruct_classically(const std::uint32_t* residues, std::size_t stride,
                                                    const ClassicConstants& t, std::uint64_t* words,
                                                    std::size_t word_stride) noexcept {
  std::uint32_t sum[classic::most_words] = {};
  for (std::uint32_t i = 0; i < t.limbs; ++i) {
    const std::uint64_t product = static_cast<std::uint64_t>(residues[i * stride]) * t.inverses[i];
    classic::add_multiple(sum, static_cast<std::uint32_t>(product % t.moduli[i]),
                          t.punctured + static_cast<std::size_t>(i) * t.size, t.size);
    if constexpr (How == ClassicSum::subtraction) classic::subtract_if_reached(sum, t.modulus, t.size);
  }
  if constexpr (How == ClassicSum::division) classic::reduce_sum(sum, t);
  for (std::uint32_t w = 0; 2 * w < t.size; ++w) {
    const std::uint64_t high = 2 * w + 1 < t.size ? sum[2 * w + 1] : 0;
    words[w * word_stride] = sum[2 * w] | (high << 32);
  }
}

}  // namespace cyclotome::study
