// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/modulus.hpp"

namespace cyclotome {

/// A fixed factor w in [0, q) with its quotient w' = floor(w 2^W / q) (W: bits of the word), for Shoup's product.
template <LimbWord W>
struct ShoupFactor {
  W operand = 0;
  W quotient = 0;

  constexpr ShoupFactor() = default;
  CYCLOTOME_HD constexpr ShoupFactor(W factor, W modulus) noexcept
      : operand(factor), quotient(static_cast<W>((static_cast<Wide<W>>(factor) << word_bits<W>) / modulus)) {}

  /// x: any word -> [0, 2q), for q < 2^31 (2^63).
  CYCLOTOME_HD constexpr W multiply_lazy(W x, W modulus) const noexcept {
    return static_cast<W>(operand * x - multiply_high(quotient, x) * modulus);
  }

  /// x: any word -> [0, q).
  CYCLOTOME_HD constexpr W multiply(W x, W modulus) const noexcept {
    const W lazy = multiply_lazy(x, modulus);
    return static_cast<W>(lazy - (modulus & mask_if<W>(lazy >= modulus)));
  }
};

}  // namespace cyclotome
