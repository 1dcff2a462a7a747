// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/transform/block_transform.cuh"

// A limb between global memory and the registers of a BlockTransform `T`: coefficients lie as its first pass wants
// them, transforms as it settles them.
namespace cyclotome::cuda {

/// How limbs pass through the caches: `kept` for what comes next, or `once`, past the first level, where the
/// transforms' factors are, and the first to leave the second.
enum class Use { kept, once };

template <Use U, class T>
__device__ __forceinline__ T load_global(const T* source) {
  if constexpr (U == Use::kept) {
    return *source;
  } else if constexpr (sizeof(T) == 4) {
    T value;
    asm volatile("ld.global.L1::no_allocate.b32 %0, [%1];" : "=r"(value) : "l"(source) : "memory");
    return value;
  } else if constexpr (sizeof(T) == 8) {
    T value;
    asm volatile("ld.global.L1::no_allocate.b64 %0, [%1];" : "=l"(value) : "l"(source) : "memory");
    return value;
  } else {
    static_assert(sizeof(T) == sizeof(uint4));
    union {
      uint4 words;
      T value;
    } result{};
    asm volatile("ld.global.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(result.words.x), "=r"(result.words.y), "=r"(result.words.z), "=r"(result.words.w)
                 : "l"(source)
                 : "memory");
    return result.value;
  }
}

template <Use U, class T>
__device__ __forceinline__ void store_global(T* target, const T& value) {
  if constexpr (U == Use::kept) {
    *target = value;
  } else if constexpr (sizeof(T) <= 8) {
    __stcs(target, value);
  } else {
    static_assert(sizeof(T) == sizeof(uint4));
    union {
      T value;
      uint4 words;
    } const bits{value};
    __stcs(reinterpret_cast<uint4*>(target), bits.words);
  }
}

/// Where value i of the first pass lies, from the thread's first.
template <class T>
__device__ constexpr unsigned first_offset(unsigned i) {
  return T::first_offset(i >> T::first, i & ((1u << T::first) - 1));
}

template <class T, Use U = Use::kept>
__device__ __forceinline__ void load_coefficients(typename T::W (&v)[T::values], const typename T::W* limb) {
  const typename T::W* const source = limb + T::first_index();
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) v[i] = load_global<U>(source + first_offset<T>(i));
}

/// v += the limb's coefficients; all in [0, q).
template <class T>
__device__ __forceinline__ void load_coefficients_and_add(typename T::W (&v)[T::values], const typename T::W* limb,
                                                          typename T::W q) {
  const typename T::W* const source = limb + T::first_index();
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) {
    v[i] = subtract_if_reaches(static_cast<typename T::W>(v[i] + source[first_offset<T>(i)]), q);
  }
}

/// v: [0, q).
template <class T, Use U = Use::kept>
__device__ __forceinline__ void store_coefficients(const typename T::W (&v)[T::values], typename T::W* limb) {
  typename T::W* const target = limb + T::first_index();
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) store_global<U>(target + first_offset<T>(i), v[i]);
}

/// Settled values.
template <class T, Use U = Use::kept>
__device__ __forceinline__ void load_transform(typename T::W (&v)[T::values], const typename T::W* limb) {
  using W = typename T::W;
  const W* const source = limb + T::settled_index();
#pragma unroll
  for (unsigned i = 0; i < T::vectors; ++i) {
    const W* const place = source + T::settled_offset(i / T::quads, i % T::quads);
    load_global<U>(reinterpret_cast<const Vector<W>*>(place)).store(v + i * T::wide);
  }
}

template <class T, Use U = Use::kept>
__device__ __forceinline__ void store_transform(const typename T::W (&v)[T::values], typename T::W* limb) {
  using W = typename T::W;
  W* const target = limb + T::settled_index();
#pragma unroll
  for (unsigned i = 0; i < T::vectors; ++i) {
    W* const place = target + T::settled_offset(i / T::quads, i % T::quads);
    store_global<U>(reinterpret_cast<Vector<W>*>(place), Vector<W>(v + i * T::wide));
  }
}

/// Residues in [0, q) as the values that T transforms.
template <class T>
__device__ __forceinline__ void to_values(typename T::Value (&v)[T::values], const typename T::W (&words)[T::values],
                                          const typename T::Arithmetic& m) {
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) v[i] = m.value(words[i]);
}

/// What T::forward leaves, as residues in [0, q).
template <class T>
__device__ __forceinline__ void to_canonical(typename T::W (&words)[T::values], const typename T::Value (&v)[T::values],
                                             const typename T::Arithmetic& m) {
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) words[i] = m.canonical(v[i]);
}

/// What T::inverse leaves, as residues in [0, q).
template <class T>
__device__ __forceinline__ void to_words(typename T::W (&words)[T::values], const typename T::Value (&v)[T::values],
                                         const typename T::Arithmetic& m) {
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) words[i] = m.word(v[i]);
}

}  // namespace cyclotome::cuda
