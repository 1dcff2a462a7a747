// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/block_transform.cuh"

// A limb between global memory and the registers of a BlockTransform `T`: coefficients lie as its first pass wants
// them, transforms as its last.
namespace cyclotome::cuda {

template <class T>
__device__ __forceinline__ void load_coefficients(typename T::W (&v)[T::values], const typename T::W* limb) {
#pragma unroll
  for (unsigned k = 0; k < T::values >> T::first; ++k) {
#pragma unroll
    for (unsigned r = 0; r < 1u << T::first; ++r) v[(k << T::first) + r] = limb[T::first_index(k, r)];
  }
}

/// v += the limb's coefficients; all in [0, q).
template <class T>
__device__ __forceinline__ void load_coefficients_and_add(typename T::W (&v)[T::values], const typename T::W* limb,
                                                          const Modulus<typename T::W>& modulus) {
#pragma unroll
  for (unsigned k = 0; k < T::values >> T::first; ++k) {
#pragma unroll
    for (unsigned r = 0; r < 1u << T::first; ++r) {
      const unsigned i = (k << T::first) + r;
      v[i] = modulus.add(v[i], limb[T::first_index(k, r)]);
    }
  }
}

/// v: [0, q), as `inverse` leaves it.
template <class T>
__device__ __forceinline__ void store_coefficients(const typename T::W (&v)[T::values], typename T::W* limb) {
#pragma unroll
  for (unsigned k = 0; k < T::values >> T::first; ++k) {
#pragma unroll
    for (unsigned r = 0; r < 1u << T::first; ++r) limb[T::first_index(k, r)] = v[(k << T::first) + r];
  }
}

/// 16 bytes of words.
template <class W>
struct alignas(16) Quad {
  W word[16 / sizeof(W)];
};

template <class T>
__device__ __forceinline__ void load_transform(typename T::W (&v)[T::values], const typename T::W* limb) {
  using W = typename T::W;
  constexpr unsigned wide = 16 / sizeof(W);
  static_assert((1u << T::last) % wide == 0);
#pragma unroll
  for (unsigned i = 0; i < T::values; i += wide) {
    const unsigned k = i >> T::last, r = i & ((1u << T::last) - 1);
    const auto quad = *reinterpret_cast<const Quad<W>*>(limb + T::last_unit(k) + r);
#pragma unroll
    for (unsigned j = 0; j < wide; ++j) v[i + j] = quad.word[j];
  }
}

template <class T>
__device__ __forceinline__ void store_transform(const typename T::W (&v)[T::values], typename T::W* limb) {
  using W = typename T::W;
  constexpr unsigned wide = 16 / sizeof(W);
  static_assert((1u << T::last) % wide == 0);
#pragma unroll
  for (unsigned i = 0; i < T::values; i += wide) {
    const unsigned k = i >> T::last, r = i & ((1u << T::last) - 1);
    Quad<W> quad;
#pragma unroll
    for (unsigned j = 0; j < wide; ++j) quad.word[j] = v[i + j];
    *reinterpret_cast<Quad<W>*>(limb + T::last_unit(k) + r) = quad;
  }
}

template <class T>
__device__ __forceinline__ void make_canonical(typename T::W (&v)[T::values], typename T::W q) {
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) v[i] = canonical(v[i], q);
}

}  // namespace cyclotome::cuda
