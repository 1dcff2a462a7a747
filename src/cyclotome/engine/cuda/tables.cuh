// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/device_view.cuh"
#include "cyclotome/ring/transform_tables.hpp"

namespace cyclotome::cuda {

/// A factor w and floor(w 2^W / q) side by side, so that one load brings both.
template <class W>
struct alignas(2 * sizeof(W)) Twiddle {
  W operand, quotient;

  /// x: any word -> w x mod q in [0, 2q).
  __device__ W multiply_lazy(W x, W q) const { return operand * x - multiply_high(quotient, x) * q; }
};

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
  const Twiddle<W>*roots, *inverse_roots;   // indexed as TransformTables' are
  InverseScale<W> scale, scale_times_word;  ///< the second for values that were divided by the word
  ShoupFactor<W> word;                      ///< R modulo q, R one more than the largest word
  Modulus<W> modulus;
  W negative_inverse;  ///< -q^-1 modulo the word, for odd q
  W two_q;
  FloatingTables floating;
};

/// x / R modulo odd q, R one more than the largest word: below x / R + q (Montgomery).
template <class W>
__device__ __forceinline__ W divide_by_word(Wide<W> x, W q, W negative_inverse) {
  const W multiple = static_cast<W>(x) * negative_inverse;
  return static_cast<W>((x + static_cast<Wide<W>>(multiple) * q) >> word_bits<W>);
}

template <class W>
struct RingTables {
  LimbTables<W> limb[max_limbs];
};

}  // namespace cyclotome::cuda
