// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

/// Through the cache for constants: such loads may be moved, before a barrier or behind it; `Here` keeps one in place.
template <bool Here = false, class T>
__device__ __forceinline__ T load_constant(const T* source) {
  using Chunk = std::conditional_t<sizeof(T) % 16 == 0, uint4, std::conditional_t<sizeof(T) % 8 == 0, uint2, unsigned>>;
  static_assert(sizeof(T) % sizeof(Chunk) == 0);
  union {
    Chunk chunks[sizeof(T) / sizeof(Chunk)];
    T value;
  } result{};
#pragma unroll
  for (unsigned i = 0; i < sizeof(T) / sizeof(Chunk); ++i) {
    const auto* const from = reinterpret_cast<const Chunk*>(source) + i;
    if constexpr (!Here) {
      result.chunks[i] = __ldg(from);
    } else if constexpr (sizeof(Chunk) == 16) {
      uint4& to = result.chunks[i];
      asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
                   : "l"(from));
    } else if constexpr (sizeof(Chunk) == 8) {
      uint2& to = result.chunks[i];
      asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(to.x), "=r"(to.y) : "l"(from));
    } else {
      asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(result.chunks[i]) : "l"(from));
    }
  }
  return result.value;
}

/// `Count` neighbouring factors, a power of two, in as few loads as there are.
template <class Factor, unsigned Count>
struct alignas(Count * sizeof(Factor) < 16 ? Count * sizeof(Factor) : 16) FactorGroup {
  Factor at[Count];
};

/// visit(k, factor) for the factors roots[first + k], k < Count, first a multiple of Count.
template <unsigned Count, bool Here = false, class Factor, class Visit>
__device__ __forceinline__ void for_factors(const Factor* roots, unsigned first, const Visit& visit) {
  constexpr unsigned together = std::min<unsigned>(Count, sizeof(Factor) < 8 ? 16 / sizeof(Factor) : 2);
  using Group = FactorGroup<Factor, together>;
  const auto* const groups = reinterpret_cast<const Group*>(roots + first);
#pragma unroll
  for (unsigned k = 0; k < Count; k += together) {
    const Group group = load_constant<Here>(groups + k / together);
#pragma unroll
    for (unsigned i = 0; i < together; ++i) visit(k + i, group.at[i]);
  }
}

/// The factors of how many stages a thread loads before it waits for the values of a pass: as many as take 16
/// registers, which are free while values are under way. None of words of 64 bits, where more was not measured.
template <class Factor>
constexpr unsigned head_stages(std::size_t word_bytes, unsigned e, unsigned units, bool back) {
  unsigned stages = 0, words = 0;
  while (stages < e && word_bytes == 4) {
    words += static_cast<unsigned>(sizeof(Factor) / 4) * units << (back ? e - 1 - stages : stages);
    if (words > 16) break;
    ++stages;
  }
  return stages;
}

/// Factors of the first `Stages` stages of a pass of E on one group; of the inverse direction, those of the last ones.
template <class Factor, unsigned E, unsigned Stages, bool Back>
struct FactorHead {
  static constexpr unsigned skipped = Back ? (1u << (E - Stages)) - 1 : 0,  // factors of stages that come later
      count = (Back ? (1u << E) : (1u << Stages)) - 1 - skipped;
  Factor at[count == 0 ? 1 : count];

  static constexpr bool has(unsigned stage) { return Back ? stage + Stages >= E && stage < E : stage + 1 <= Stages; }
  __device__ __forceinline__ Factor factor(unsigned stage, unsigned k) const {
    return at[(1u << stage) - 1 - skipped + k];
  }

  __device__ __forceinline__ void load(const Factor* roots, unsigned group) {
    if constexpr (Stages > 0) load_stage<Back ? E - 1 : 0>(roots, group);
  }

 private:
  template <unsigned J>
  __device__ __forceinline__ void load_stage(const Factor* roots, unsigned group) {
    for_factors<1u << J, true>(roots, group << J, [&](unsigned k, Factor w) { at[(1u << J) - 1 - skipped + k] = w; });
    constexpr unsigned next = Back ? J - 1 : J + 1;
    if constexpr (next < E && has(next)) load_stage<next>(roots, group);
  }
};
struct NoHead {
  static constexpr bool has(unsigned /*stage*/) { return false; }
};

/// visit(k, factor) for the factors of stage J of a pass on one group.
template <unsigned J, class A, class Stored, class Head, class Visit>
__device__ __forceinline__ void for_stage(const A& m, const Stored* roots, unsigned group, const Head& head,
                                          const Visit& visit) {
  if constexpr (Head::has(J)) {
#pragma unroll
    for (unsigned k = 0; k < 1u << J; ++k) visit(k, m.factor(head.factor(J, k)));
  } else {
    for_factors<1u << J>(roots, group << J, [&](unsigned k, Stored w) { visit(k, m.factor(w)); });
  }
}

/// Stages J ... E - 1 of a pass on 2^E values of one group; the pass begins with stage Before of Stages. OfResidues:
/// the first stage's values are residues.
template <unsigned Before, unsigned Stages, unsigned E, bool OfResidues = false, unsigned J = 0, class A, class Stored,
          class Head = NoHead>
__device__ __forceinline__ void forward_stages(const A& m, typename A::Value* v, const Stored* roots, unsigned group,
                                               const Head& head = {}) {
  if constexpr (J < E) {
    constexpr unsigned gap = 1u << (E - 1 - J);
    for_stage<J>(m, roots, group, head, [&](unsigned k, typename A::Factor w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) {
        typename A::Value &x = v[2 * k * gap + i], &y = v[(2 * k + 1) * gap + i];
        if constexpr (OfResidues && J == 0) {
          m.first_butterfly(x, y, w);
        } else {
          m.template forward_butterfly<Before + J, Stages>(x, y, w);
        }
      }
    });
    forward_stages<Before, Stages, E, OfResidues, J + 1>(m, v, roots, group, head);
  }
}

/// Stages J - 1 ... Last of a pass on 2^E values of one group, in the inverse direction.
template <unsigned E, unsigned Last, unsigned J = E, class A, class Stored, class Head = NoHead>
__device__ __forceinline__ void inverse_stages(const A& m, typename A::Value* v, const Stored* roots, unsigned group,
                                               const Head& head = {}) {
  if constexpr (J > Last) {
    constexpr unsigned gap = 1u << (E - J);
    for_stage<J - 1>(m, roots, group, head, [&](unsigned k, typename A::Factor w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) {
        m.template inverse_butterfly<E - J>(v[2 * k * gap + i], v[(2 * k + 1) * gap + i], w, i);
      }
    });
    inverse_stages<E, Last, J - 1>(m, v, roots, group, head);
  }
}

}  // namespace cyclotome::cuda
