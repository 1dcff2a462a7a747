// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cyclotome/math/modulus.hpp"

// Products of a fixed matrix modulo p with words of 32 bits, on units that multiply bytes. With x = sum of x_b 2^(8b),
//
//   M x = sum over b of (2^(8b) M mod p) x_b = sum over c of 2^(8c) S_c,  S_c = sum over b of byte c of (2^(8b) M mod
//   p) x_b,
//
// so that a word is four entries of a vector of bytes as it stands, and a residue four of a matrix. Sums are exact; the
// four S_c of a result are put together modulo p. All of it runs on the host too, for tests.
namespace cyclotome::cuda {

/// Byte c of m, 2^8 m, 2^16 m and 2^24 m modulo p, from the lowest byte on: what x's bytes are multiplied with.
using PackedEntry = std::array<std::uint32_t, 4>;
inline PackedEntry packed_entry(std::uint32_t m, const Modulus<std::uint32_t>& p) {
  PackedEntry packed{};
  for (unsigned b = 0; b < 4; ++b) {
    for (unsigned c = 0; c < 4; ++c) packed[c] |= (m >> 8 * c & 0xff) << 8 * b;
    m = p.multiply(m, p.reduce_wide(256));
  }
  return packed;
}

/// Modulo one p, 2^16 < p < 2^30, rows of at most `most_terms` words.
struct ByteSums {
  static constexpr unsigned most_terms = 16;
  std::uint32_t modulus;
  std::uint32_t over_2_48, over_2_32;  ///< floor(2^48 / p), floor(2^32 / p)

  /// The four sums of one result -> a word that is it modulo p. With 64 terms below 2^16 (bytes of residues below 2^30
  /// end with one below 2^6), low < 2^30, high < 2^28, and high 2^16 / p is found but for 1/16 and the rounding: what
  /// is left is below 2^30 + 17/16 p < 2^32.
  CYCLOTOME_HD std::uint32_t combined(std::uint32_t s0, std::uint32_t s1, std::uint32_t s2, std::uint32_t s3) const {
    const std::uint32_t low = s0 + (s1 << 8), high = s2 + (s3 << 8);
    return low + (high << 16) - multiply_high(high, over_2_48) * modulus;
  }
  /// Any word -> [0, p).
  CYCLOTOME_HD std::uint32_t canonical(std::uint32_t x) const {
    const std::uint32_t rest = x - multiply_high(x, over_2_32) * modulus, less = rest - modulus;
    return rest < less ? rest : less;
  }
};

inline ByteSums byte_sums(std::uint32_t p) {
  return {p, static_cast<std::uint32_t>((std::uint64_t{1} << 48) / p),
          static_cast<std::uint32_t>((std::uint64_t{1} << 32) / p)};
}

}  // namespace cyclotome::cuda
