// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/modulus.hpp"

namespace cyclotome {

/// Montgomery arithmetic for an odd modulus q < 2^(W-1), with R = 2^W (W: bits of the word). Montgomery form of a is aR
/// mod q.
template <LimbWord W>
class Montgomery {
 public:
  constexpr Montgomery() = default;

  /// Precondition: q odd, 3 <= q < max_modulus<W>.
  CYCLOTOME_HD constexpr explicit Montgomery(W modulus) noexcept : value_(modulus) {
    W inverse = modulus;  // Newton: q q = 1 mod 8, each step doubles the correct bits.
    for (int i = 0; i < 5; ++i) inverse = static_cast<W>(inverse * static_cast<W>(W{2} - modulus * inverse));
    inverse_ = inverse;
    const Wide<W> r = (static_cast<Wide<W>>(1) << word_bits<W>) % modulus;
    r_squared_ = static_cast<W>((r * r) % modulus);
  }

  CYCLOTOME_HD constexpr W value() const noexcept { return value_; }

  /// x in [0, qR) -> x R^-1 mod q in [0, 2q) (never below 0: q is added before the subtraction).
  CYCLOTOME_HD constexpr W reduce_lazy(Wide<W> x) const noexcept {
    const W quotient = static_cast<W>(static_cast<W>(x) * inverse_);
    return static_cast<W>(static_cast<W>(x >> word_bits<W>) + value_ - multiply_high(quotient, value_));
  }

  /// x in [0, qR) -> x R^-1 mod q in [0, q).
  CYCLOTOME_HD constexpr W reduce(Wide<W> x) const noexcept {
    const W lazy = reduce_lazy(x);
    return static_cast<W>(lazy - (value_ & mask_if<W>(lazy >= value_)));
  }

  /// a b R^-1 mod q. a, b with a b < qR (so either may be lazy in [0, 2q)) -> [0, q).
  CYCLOTOME_HD constexpr W multiply(W a, W b) const noexcept { return reduce(static_cast<Wide<W>>(a) * b); }

  /// a: any word -> Montgomery form in [0, q).
  CYCLOTOME_HD constexpr W enter(W a) const noexcept { return reduce(static_cast<Wide<W>>(a) * r_squared_); }
  /// a: any word -> a R^-1 in [0, q), the ordinary form.
  CYCLOTOME_HD constexpr W leave(W a) const noexcept { return reduce(a); }

 private:
  W value_ = 0;
  W inverse_ = 0;    // q^-1 mod R
  W r_squared_ = 0;  // R^2 mod q
};

}  // namespace cyclotome
