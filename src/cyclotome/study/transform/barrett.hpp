// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/word.hpp"

namespace cyclotome {

/// Barrett's product of paper 001, Algorithm 7, in the paper's own parametrisation, as erratum 001-1 corrects it: it
/// needs words and double words only, so it suits a GPU. `Modulus` uses the same formula for 64-bit words; this
/// stand-alone form exists for 32-bit words too (w <= 30), where 2w + 4 bits still fit the double word.
///
/// mu = floor(2^(2w+1)/q); x1 = ab >> (w-2); quotient = x1 mu >> (w+3); ab - quotient q < 1.75 q: one subtraction.
template <LimbWord W>
struct BarrettProduct {
  W value;
  unsigned bits;
  Wide<W> mu;

  /// Precondition: 2^(w-1) <= q < 2^w with w <= 30 (32-bit words) or w <= 62 (64-bit words), q >= 2.
  CYCLOTOME_HD constexpr BarrettProduct(W modulus, unsigned modulus_bits) noexcept
      : value(modulus), bits(modulus_bits), mu((static_cast<Wide<W>>(1) << (2 * modulus_bits + 1)) / modulus) {}

  /// The value before the conditional subtraction, in [0, 1.75 q). a, b in [0, q).
  CYCLOTOME_HD constexpr W multiply_lazy(W a, W b) const noexcept {
    const Wide<W> product = static_cast<Wide<W>>(a) * b;
    const Wide<W> quotient = ((product >> (bits - 2)) * mu) >> (bits + 3);
    return static_cast<W>(product - quotient * value);
  }

  /// a, b in [0, q) -> [0, q). No branch on data.
  CYCLOTOME_HD constexpr W multiply(W a, W b) const noexcept {
    const W x = multiply_lazy(a, b);
    return static_cast<W>(x - (value & mask_if<W>(x >= value)));
  }
};

}  // namespace cyclotome
