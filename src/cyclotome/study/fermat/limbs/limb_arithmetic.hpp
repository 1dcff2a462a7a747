// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/study/fermat/limbs/limb.hpp"

namespace cyclotome::study::fermat {

/// Arithmetic modulo one limb's modulus, 2^G + 1 or 2^G - 1, on words that lie next to each other, by shifts and
/// carries: 2^G is -1, or 1. Residues are canonical, in [0, 2^G] or [0, 2^G - 2], on entry and exit. An output may be
/// an input. Neither branches nor indexes depend on residues.
class LimbArithmetic {
 public:
  explicit LimbArithmetic(const Limb& limb) noexcept;

  const Limb& limb() const noexcept { return limb_; }

  /// Whether words are a canonical residue: for what comes from outside.
  bool holds(std::span<const std::uint64_t> words) const noexcept;

  using In = const std::uint64_t*;
  using Out = std::uint64_t*;
  void add(Out out, In a, In b) const noexcept;
  void subtract(Out out, In a, In b) const noexcept;
  void negate(Out out, In a) const noexcept;
  /// out = factor a, factor any word.
  void scale(Out out, In a, std::uint64_t factor) const noexcept;
  /// out = value modulo the modulus, an integer of any number of words (its length is public). It is not out.
  void reduce(std::span<std::uint64_t> out, std::span<const std::uint64_t> value) const noexcept;
  /// out = |a (q/q_i)^-1| = |a 2^exponent| by one shift and one subtraction: Lemma 3's quotient v = (a - [a > 0]) >>
  /// shift (errata 003-2, -4, -5) cancels the upper half of a 2^exponent - v q_i, so that out = r 2^exponent -+ v with
  /// r the rest of that shift. out is not a.
  void puncture(Out out, In a) const noexcept;

 private:
  /// Canonical residue of t + plus - minus: t is the lowest G bits of out.
  void settle(Out out, std::uint64_t plus, std::uint64_t minus) const noexcept;

  Limb limb_;
  std::size_t low_;  ///< words of 2^G - 1, of an aligned limb
  Modulus<std::uint64_t> small_;
};

}  // namespace cyclotome::study::fermat
