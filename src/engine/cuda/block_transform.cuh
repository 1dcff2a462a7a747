// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cooperative_groups.h>
#include <type_traits>

#include "cyclotome/engine/cuda/tables.cuh"

// Negacyclic transforms in one pass over global memory: a limb lives in the registers of a block, or of a cluster of
// blocks that exchange values through distributed shared memory. Between exchanges every thread transforms 2^LogV
// values, several stages at a time. Needs compute capability 9.0.
namespace cyclotome::cuda {

template <class W>
__device__ __forceinline__ W subtract_if_reaches(W x, W q) {
  return min(x, static_cast<W>(x - q));  // unsigned: x - q is large where x < q
}

/// x in [0, 4q) -> [0, q).
template <class W>
__device__ __forceinline__ W canonical(W x, W q) {
  return subtract_if_reaches(subtract_if_reaches(x, static_cast<W>(2 * q)), q);
}

/// x, y in [0, 4q) -> x + w y, x - w y in [0, 4q).
template <class W>
__device__ __forceinline__ void forward_butterfly(W& x, W& y, Twiddle<W> w, W q) {
  const W two_q = 2 * q, reduced = subtract_if_reaches(x, two_q), product = w.multiply_lazy(y, q);
  x = reduced + product;
  y = reduced + (two_q - product);
}

/// x, y in [0, 2q) -> x + y, w (x - y) in [0, 2q).
template <class W>
__device__ __forceinline__ void inverse_butterfly(W& x, W& y, Twiddle<W> w, W q) {
  const W two_q = 2 * q, sum = x + y, difference = x + (two_q - y);
  x = subtract_if_reaches(sum, two_q);
  y = w.multiply_lazy(difference, q);
}

/// Two neighbouring factors in one load of 16 bytes (two of them for 64-bit words).
template <class W>
struct alignas(16) TwiddlePair {
  Twiddle<W> even, odd;
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

/// visit(k, factor) for the factors roots[first + k], k < Count, first a multiple of Count.
template <unsigned Count, class W, class Visit>
__device__ __forceinline__ void for_factors(const Twiddle<W>* roots, unsigned first, const Visit& visit) {
  if constexpr (Count == 1) {
    visit(0u, load_constant(roots + first));
  } else {
    const auto* const pairs = reinterpret_cast<const TwiddlePair<W>*>(roots + first);
#pragma unroll
    for (unsigned k = 0; k < Count; k += 2) {
      const TwiddlePair<W> pair = load_constant(pairs + k / 2);
      visit(k, pair.even);
      visit(k + 1, pair.odd);
    }
  }
}

/// Stages J ... E - 1 of a pass on 2^E values of one group.
template <unsigned E, unsigned J = 0, class W>
__device__ __forceinline__ void forward_stages(W* v, const Twiddle<W>* roots, unsigned group, W q) {
  if constexpr (J < E) {
    constexpr unsigned gap = 1u << (E - 1 - J);
    for_factors<1u << J>(roots, group << J, [&](unsigned k, Twiddle<W> w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) forward_butterfly(v[2 * k * gap + i], v[(2 * k + 1) * gap + i], w, q);
    });
    forward_stages<E, J + 1>(v, roots, group, q);
  }
}

/// Stages J - 1 ... Last of a pass on 2^E values of one group, in the inverse direction.
template <unsigned E, unsigned Last, unsigned J = E, class W>
__device__ __forceinline__ void inverse_stages(W* v, const Twiddle<W>* roots, unsigned group, W q) {
  if constexpr (J > Last) {
    constexpr unsigned gap = 1u << (E - J);
    for_factors<1u << (J - 1)>(roots, group << (J - 1), [&](unsigned k, Twiddle<W> w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) inverse_butterfly(v[2 * k * gap + i], v[(2 * k + 1) * gap + i], w, q);
    });
    inverse_stages<E, Last, J - 1>(v, roots, group, q);
  }
}

/// How a limb of 2^LogN values is spread over 2^LogC blocks of threads with 2^LogV values each.
///
/// Pass 0 sees the whole limb: thread `unit` u holds the values r (n >> E0) + u. Pass P > 0 sees one block's chunk of
/// n / 2^LogC successive values. After the last pass a unit holds successive values.
template <class Word_, unsigned LogN, unsigned LogV, unsigned LogC>
struct BlockTransform {
  using W = Word_;
  static constexpr unsigned degree = 1u << LogN, values = 1u << LogV, blocks = 1u << LogC, local = degree >> LogC,
                            threads = local >> LogV, passes = (LogN + LogV - 1) / LogV;
  static constexpr unsigned exponent(unsigned p) { return before(p + 1) - before(p); }
  static constexpr unsigned before(unsigned p) { return p * (LogN / passes) + std::min(p, LogN % passes); }
  static_assert(passes >= 2 && exponent(0) >= LogC && exponent(0) <= LogV);
  /// A word of padding for every 128 bytes keeps lanes in different banks. padded(a + b) = padded(a) + padded(b) where
  /// a and b have no bit in common: so a thread computes one address, and its other values lie at constant distances.
  __host__ __device__ static constexpr unsigned padded(unsigned i) { return i + i / (128 / sizeof(W)); }
  static constexpr unsigned shared_words = padded(local);

  __device__ static unsigned rank() { return LogC == 0 ? 0 : blockIdx.x; }

  /// Where value r of unit k of this thread lies in the limb, in the first and in the last pass.
  __device__ static unsigned first_index(unsigned k, unsigned r) {
    return (r << (LogN - exponent(0))) + (rank() * (values >> exponent(0)) + k) * threads + threadIdx.x;
  }
  __device__ static unsigned last_unit(unsigned k) { return rank() * local + ((k * threads + threadIdx.x) << last); }
  static constexpr unsigned last = exponent(passes - 1);  ///< a unit of the last pass has 2^last successive values
  static constexpr unsigned first = exponent(0);

  /// v: values of the first pass in [0, 4q) -> values of the last pass in [0, 4q). `again`: shared memory was used
  /// before.
  __device__ static void forward(W (&v)[values], W* shared, const Twiddle<W>* roots, W q, bool again) {
    arrive();
#pragma unroll
    for (unsigned k = 0; k < values >> first; ++k) forward_stages<first>(v + (k << first), roots, 1, q);
    wait(again);
    constexpr unsigned rows = 1u << (first - LogC), column_bits = LogN - first;  // rows that a block gets
    const unsigned base = padded(rank() * (values >> first) * threads) + padded(threadIdx.x);
#pragma unroll
    for (unsigned r = 0; r < 1u << first; ++r) {
      W* const target = block_memory(shared, r / rows) + base;
#pragma unroll
      for (unsigned k = 0; k < values >> first; ++k) {
        target[padded(r % rows << column_bits) + padded(k * threads)] = v[(k << first) + r];
      }
    }
    all_arrive_and_wait();
    forward_from<1>(v, shared, roots, q);
  }

  /// v: values of the last pass in [0, 2q) -> values of the first pass in [0, q), scaled by 1/n. `again`: as above.
  __device__ static void inverse(W (&v)[values], W* shared, const LimbTables<W>& t, W q, bool again) {
    if (again) __syncthreads();
    inverse_to<passes - 1>(v, shared, t.inverse_roots, q);
    wait(false);  // one block writes where it read
    // Row by row of the first pass, a block's columns: the block's number is in the top bits of r.
    constexpr unsigned segment = local >> first, e = exponent(1), rest = LogN - first - e;
    static_assert(e >= LogC);
    constexpr unsigned columns = 1u << (e - LogC);
    const unsigned row = rank() << (first - LogC);
#pragma unroll
    for (unsigned r = 0; r < 1u << e; ++r) {
      W* const target = block_memory(shared, r / columns) + padded(row * segment) + padded(spread(threadIdx.x, rest));
#pragma unroll
      for (unsigned k = 0; k < values >> e; ++k) {
        target[padded(r % columns << rest) + padded(spread(k * threads, rest))] = v[(k << e) + r];
      }
    }
    all_arrive_and_wait();
#pragma unroll
    for (unsigned k = 0; k < values >> first; ++k) {
#pragma unroll
      for (unsigned r = 0; r < 1u << first; ++r) {
        v[(k << first) + r] = shared[padded(threadIdx.x) + padded(r * segment) + padded(k * threads)];
      }
      inverse_stages<first, 1>(v + (k << first), t.inverse_roots, 1, q);
      constexpr unsigned half = 1u << (first - 1);
#pragma unroll
      for (unsigned i = 0; i < half; ++i) {
        W &x = v[(k << first) + i], &y = v[(k << first) + half + i];
        const W sum = x + y, difference = x + (2 * q - y);
        x = t.inverse_degree.multiply(sum, q);
        y = t.last_inverse_root.multiply(difference, q);
      }
    }
  }

 private:
  /// Bits of a unit's number in pass 1, group and column, as they lie in one block's columns of the first pass.
  __device__ static constexpr unsigned spread(unsigned unit, unsigned rest) {
    return ((unit >> rest) * (local >> first)) | (unit & ((1u << rest) - 1));
  }
  /// Where value r of a unit lies within this block's chunk, P > 0.
  template <unsigned P>
  __device__ static constexpr unsigned local_index(unsigned unit, unsigned r) {
    constexpr unsigned rest = LogN - before(P) - exponent(P);
    return ((unit >> rest) << (rest + exponent(P))) | (r << rest) | (unit & ((1u << rest) - 1));
  }
  /// The address of value r of unit k of this thread, from that of its first.
  template <unsigned P>
  __device__ static W* chunk_base(W* shared) {
    return shared + padded(local_index<P>(threadIdx.x, 0));
  }
  template <unsigned P>
  __device__ static constexpr unsigned chunk_offset(unsigned k, unsigned r) {
    return padded(local_index<P>(k * threads, 0)) + padded(local_index<P>(0, r));
  }
  template <unsigned P>
  __device__ static unsigned group_of(unsigned k) {
    constexpr unsigned rest = LogN - before(P) - exponent(P);
    return (1u << before(P)) + (rank() << (before(P) - LogC)) + ((k * threads + threadIdx.x) >> rest);
  }

  template <unsigned P>
  __device__ static void forward_from(W (&v)[values], W* shared, const Twiddle<W>* roots, W q) {
    constexpr unsigned e = exponent(P);
    W* const chunk = chunk_base<P>(shared);
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) {
#pragma unroll
      for (unsigned r = 0; r < 1u << e; ++r) v[(k << e) + r] = chunk[chunk_offset<P>(k, r)];
    }
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) forward_stages<e>(v + (k << e), roots, group_of<P>(k), q);
    if constexpr (P + 1 < passes) {
#pragma unroll
      for (unsigned k = 0; k < values >> e; ++k) {
#pragma unroll
        for (unsigned r = 0; r < 1u << e; ++r) chunk[chunk_offset<P>(k, r)] = v[(k << e) + r];
      }
      __syncthreads();
      forward_from<P + 1>(v, shared, roots, q);
    }
  }

  /// Passes P ... 1; the values of pass 1 stay in registers.
  template <unsigned P>
  __device__ static void inverse_to(W (&v)[values], W* shared, const Twiddle<W>* roots, W q) {
    constexpr unsigned e = exponent(P);
    if constexpr (P == 1) arrive();  // this thread reads no more of shared memory before the exchange across blocks
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) inverse_stages<e, 0>(v + (k << e), roots, group_of<P>(k), q);
    if constexpr (P > 1) {
      W* const chunk = chunk_base<P>(shared);
#pragma unroll
      for (unsigned k = 0; k < values >> e; ++k) {
#pragma unroll
        for (unsigned r = 0; r < 1u << e; ++r) chunk[chunk_offset<P>(k, r)] = v[(k << e) + r];
      }
      __syncthreads();
      constexpr unsigned next = exponent(P - 1);
      W* const source = chunk_base<P - 1>(shared);
#pragma unroll
      for (unsigned k = 0; k < values >> next; ++k) {
#pragma unroll
        for (unsigned r = 0; r < 1u << next; ++r) v[(k << next) + r] = source[chunk_offset<P - 1>(k, r)];
      }
      inverse_to<P - 1>(v, shared, roots, q);
    }
  }

  // A barrier in two halves. Between them a thread may compute, but not touch shared memory that others write after it.
  __device__ static void arrive() {
    if constexpr (LogC > 0) asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  __device__ static void wait(bool again) {
    if constexpr (LogC > 0) {
      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    } else if (again) {
      __syncthreads();
    }
  }
  __device__ static void all_arrive_and_wait() {
    if constexpr (LogC > 0) {
      arrive();
      wait(true);
    } else {
      __syncthreads();
    }
  }
  __device__ static W* block_memory(W* shared, unsigned block) {
    if constexpr (LogC == 0) {
      return shared;
    } else {
      return cooperative_groups::this_cluster().map_shared_rank(shared, block);
    }
  }
};

}  // namespace cyclotome::cuda
