// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/ring/tables/transform_tables.hpp"

namespace cyclotome::cuda {

/// A factor w and floor(w 2^W / q) side by side, so that one load brings both.
template <class W>
struct alignas(2 * sizeof(W)) Twiddle {
  W operand, quotient;

  static Twiddle of(W operand, W quotient) { return {operand, quotient}; }
  /// x: any word -> w x mod q in [0, 2q).
  CYCLOTOME_HD W multiply_lazy(W x, W q) const { return operand * x - multiply_high(quotient, x) * q; }
  CYCLOTOME_HD Twiddle whole(W /*q*/) const { return *this; }
};

/// The same of 32 bits as its quotient w' alone, half as many bytes to load. With w' = (w 2^32 - r) / q, where 0 < r <
/// q since q is prime and divides no w, w' q / 2^32 lies between w - 1 and w: w is the next integer above it.
struct Quotient {
  std::uint32_t quotient;

  static Quotient of(std::uint32_t /*operand*/, std::uint32_t quotient) { return {quotient}; }
  CYCLOTOME_HD Twiddle<std::uint32_t> whole(std::uint32_t q) const {
    return {multiply_high(quotient, q) + 1, quotient};
  }
};

/// How a limb's factors lie. Those of words of 64 bits have no cheap way from the quotient.
template <class W>
using StoredTwiddle = std::conditional_t<sizeof(W) == 4, Quotient, Twiddle<W>>;
/// Factors of all stages but the last three, which belong to a transform's last pass.
constexpr std::size_t shared_factors(std::size_t degree) { return degree / 8; }

/// What the last stage of an inverse transform multiplies with: 1/n, and the stage's root over n.
template <class W>
struct InverseScale {
  ShoupFactor<W> inverse_degree, last_root;
};

/// Constants of transforms on doubles (floating_arithmetic.hpp), centred; null where the modulus is too wide for them.
struct FloatingTables {
  const double *roots, *inverse_roots;
  double reciprocal, inverse_degree, last_inverse_root;
};

/// What a limb's kernels need, on the device. The roots are null for a modulus that has no transform.
template <class W>
struct LimbTables {
  // Indexed as TransformTables' are. The first `shared_factors` are whole too, for passes whose threads share them.
  const StoredTwiddle<W>*roots, *inverse_roots;
  const Twiddle<W>*first_roots, *first_inverse_roots;
  InverseScale<W> scale, scale_times_word;  ///< the second for values that were divided by the word
  ShoupFactor<W> word;                      ///< R modulo q, R one more than the largest word
  Modulus<W> modulus;
  W negative_inverse;  ///< -q^-1 modulo the word, for odd q
  W two_q;
  FloatingTables floating;
};

/// x / R modulo odd q, R one more than the largest word: below x / R + q (Montgomery).
template <class W>
CYCLOTOME_HD __forceinline__ W divide_by_word(Wide<W> x, W q, W negative_inverse) {
  const W multiple = static_cast<W>(x) * negative_inverse;
  return static_cast<W>((x + static_cast<Wide<W>>(multiple) * q) >> word_bits<W>);
}

template <class W>
struct RingTables {
  LimbTables<W> limb[max_limbs];
};

}  // namespace cyclotome::cuda
