// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/shoup.hpp"
#include "cyclotome/ring/basis.hpp"

namespace cyclotome {

/// Constants of a base conversion, in the word of both bases.
template <LimbWord W>
struct ConversionTables {
  std::vector<ShoupFactor<W>> punctured_inverses;  ///< per source limb: f_i (q/q_i)^-1 mod q_i
  std::vector<W> matrix;                           ///< [target][source]: g_j (q/q_i) mod b_j
  std::vector<W> negative_wraps;                   ///< per target: -g_j q mod b_j, times the wrap count v
  std::vector<std::uint64_t> reciprocals;          ///< per source: floor(2^(word or 64-bit scale)/q_i), see fraction()
  std::vector<ShoupFactor<W>> copy_factors;        ///< per target equal to a source: f_i g_j mod b_j
};

/// How the residues of x in base q are turned into residues in base b. With q^_i = q/q_i and y_i = [f_i x_i
/// q^_i^-1]_{q_i} (specification 5.1):
enum class Lift : std::uint8_t {
  fast,    ///< sum of y_i q^_i = x + a q with 0 <= a < k; x in [0, q)
  centred  ///< x as its representative in [-q/2, q/2): a is removed by v = floor(sum y_i/q_i + 1/2) in fixed point
};

/// Conversion between two bases of one word, with factors folded in:
///   out_j = g_j * lift(f x) mod b_j,  f given per source limb, g per target limb.
///
/// The centred lift is exact unless x/q comes within k 2^-32 (32-bit words) or k 2^-54 (64-bit words) of 1/2, where it
/// may return the neighbour x - q; with a single source limb it is always exact. Integers only, so all engines agree
/// bit for bit. A target modulus that occurs in the source basis is copied rather than computed.
class BaseConversion {
 public:
  /// source_factors, target_factors: empty (all ones) or one per limb, any value. Throws ParameterError when the words
  /// differ or the source has more than 128 limbs.
  BaseConversion(Basis source, Basis target, Lift lift, const std::vector<std::uint64_t>& source_factors = {},
                 const std::vector<std::uint64_t>& target_factors = {});

  const Basis& source() const noexcept { return source_; }
  const Basis& target() const noexcept { return target_; }
  Lift lift() const noexcept { return lift_; }
  /// For each target limb the source limb of the same modulus, or -1. Copied only when it is exact for the lift.
  const std::vector<int>& copies() const noexcept { return copies_; }
  /// Names these constants within the process: equal only for copies of one conversion. Engines keep their own copies
  /// by it.
  std::uint64_t id() const noexcept { return id_; }
  /// How many products y_i * matrix entry fit the double word before a reduction.
  std::size_t lazy_terms() const noexcept { return lazy_terms_; }

  template <LimbWord W>
  const ConversionTables<W>& tables() const noexcept {
    if constexpr (sizeof(W) == 4) {
      return tables32_;
    } else {
      return tables64_;
    }
  }

 private:
  template <LimbWord W>
  void fill(ConversionTables<W>& tables, const std::vector<std::uint64_t>& source_factors,
            const std::vector<std::uint64_t>& target_factors);

  Basis source_, target_;
  Lift lift_;
  std::uint64_t id_;
  std::vector<int> copies_;
  std::size_t lazy_terms_ = 0;
  ConversionTables<std::uint32_t> tables32_;
  ConversionTables<std::uint64_t> tables64_;
};

/// Bits of the fixed-point fractions that are summed to the wrap count: sums of up to 128 stay below 2^64.
inline constexpr unsigned fraction_bits = 56;

/// y/q_i in units of 2^-56, rounded down, from reciprocal = floor(2^63/q_i) (32-bit words) or floor(2^(b+63)/q_i) with
/// b the bit length of q_i (64-bit words). y in [0, q_i).
template <LimbWord W>
CYCLOTOME_HD constexpr std::uint64_t fraction(W y, std::uint64_t reciprocal, unsigned modulus_bits) noexcept {
  if constexpr (sizeof(W) == 4) {
    return (y * reciprocal) >> (63 - fraction_bits);
  } else {
    return static_cast<std::uint64_t>((static_cast<u128>(y) * reciprocal) >> (modulus_bits + 63 - fraction_bits));
  }
}

/// How close a value modulo q comes to q/2, for a whole polynomial: the largest min(y, q - y)/q in units of 2^-56.
template <LimbWord W>
CYCLOTOME_HD constexpr std::uint64_t peak_of(W largest, std::uint64_t reciprocal, unsigned modulus_bits) noexcept {
  return fraction(largest, reciprocal, modulus_bits);
}
/// The same from a sum of fractions, with the 1/2 of the centred lift.
CYCLOTOME_HD constexpr std::uint64_t peak_of_sum(std::uint64_t sum) noexcept {
  constexpr std::uint64_t half = std::uint64_t{1} << (fraction_bits - 1), mask = 2 * half - 1;
  const std::uint64_t x = sum & mask, above = x - half, below = half - x;
  return above < below ? above : below;  // one of them wraps around
}
/// How far a peak may be from |x|/q, for k limbs.
constexpr double peak_error(Word word, std::size_t limbs) noexcept {
  return static_cast<double>(limbs + 1) * (word == Word::u32 ? 0x1p-32 : 0x1p-54);
}

}  // namespace cyclotome
