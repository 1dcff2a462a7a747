// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

// Stages of a transform on the values of one thread, for any arithmetic; and loads and stores of 16 bytes.
namespace cyclotome::cuda {

/// 16 bytes of words.
template <class W>
struct alignas(16) Vector {
  static constexpr unsigned count = 16 / sizeof(W);
  W word[count];

  Vector() = default;
  __device__ __forceinline__ explicit Vector(const W* words) {
#pragma unroll
    for (unsigned i = 0; i < count; ++i) word[i] = words[i];
  }
  __device__ __forceinline__ void store(W* words) const {
#pragma unroll
    for (unsigned i = 0; i < count; ++i) words[i] = word[i];
  }
};

/// Through the cache for constants: such loads may be moved before a barrier.
template <class T>
__device__ __forceinline__ T load_constant(const T* source) {
  static_assert(sizeof(T) % 8 == 0);
  using Chunk = std::conditional_t<sizeof(T) % 16 == 0, uint4, uint2>;
  union {
    Chunk chunks[sizeof(T) / sizeof(Chunk)];
    T value;
  } result{};
#pragma unroll
  for (unsigned i = 0; i < sizeof(T) / sizeof(Chunk); ++i) {
    result.chunks[i] = __ldg(reinterpret_cast<const Chunk*>(source) + i);
  }
  return result.value;
}

/// Two neighbouring factors in one load of 16 bytes (two of them for factors of 16 bytes).
template <class Factor>
struct alignas(16) FactorPair {
  Factor even, odd;
};

/// visit(k, factor) for the factors roots[first + k], k < Count, first a multiple of Count.
template <unsigned Count, class Factor, class Visit>
__device__ __forceinline__ void for_factors(const Factor* roots, unsigned first, const Visit& visit) {
  if constexpr (Count == 1) {
    visit(0u, load_constant(roots + first));
  } else {
    const auto* const pairs = reinterpret_cast<const FactorPair<Factor>*>(roots + first);
#pragma unroll
    for (unsigned k = 0; k < Count; k += 2) {
      const FactorPair<Factor> pair = load_constant(pairs + k / 2);
      visit(k, pair.even);
      visit(k + 1, pair.odd);
    }
  }
}

/// Stages J ... E - 1 of a pass on 2^E values of one group; the pass begins with stage Before of Stages.
template <unsigned Before, unsigned Stages, unsigned E, unsigned J = 0, class A>
__device__ __forceinline__ void forward_stages(const A& m, typename A::Value* v, const typename A::Factor* roots,
                                               unsigned group) {
  if constexpr (J < E) {
    constexpr unsigned gap = 1u << (E - 1 - J);
    for_factors<1u << J>(roots, group << J, [&](unsigned k, typename A::Factor w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) {
        m.template forward_butterfly<Before + J, Stages>(v[2 * k * gap + i], v[(2 * k + 1) * gap + i], w);
      }
    });
    forward_stages<Before, Stages, E, J + 1>(m, v, roots, group);
  }
}

/// Stages J - 1 ... Last of a pass on 2^E values of one group, in the inverse direction.
template <unsigned E, unsigned Last, unsigned J = E, class A>
__device__ __forceinline__ void inverse_stages(const A& m, typename A::Value* v, const typename A::Factor* roots,
                                               unsigned group) {
  if constexpr (J > Last) {
    constexpr unsigned gap = 1u << (E - J);
    for_factors<1u << (J - 1)>(roots, group << (J - 1), [&](unsigned k, typename A::Factor w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) {
        m.template inverse_butterfly<E - J>(v[2 * k * gap + i], v[(2 * k + 1) * gap + i], w, i);
      }
    });
    inverse_stages<E, Last, J - 1>(m, v, roots, group);
  }
}

}  // namespace cyclotome::cuda
