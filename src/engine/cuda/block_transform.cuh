// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "cyclotome/engine/cuda/cluster_exchange.cuh"
#include "cyclotome/engine/cuda/tables.cuh"

// Negacyclic transforms in one pass over global memory: a limb lives in the registers of a block, or of a cluster of
// blocks that exchange values through distributed shared memory. Between exchanges every thread transforms 2^LogV
// values, several stages at a time. Needs compute capability 9.0.
namespace cyclotome::cuda {

template <class W>
__device__ __forceinline__ W subtract_if_reaches(W x, W q) {
  return min(x, static_cast<W>(x - q));  // unsigned: x - q is large where x < q
}

/// q and 2q, both from memory: a compiler that knows one to be twice the other computes 2q again, in every sum, on the
/// multipliers that the products need.
template <class W>
struct Bounds {
  W q, two_q;
  __device__ explicit Bounds(const LimbTables<W>& t) : q(t.modulus.value()), two_q(t.two_q) {}
};

/// x in [0, 4q) -> [0, q).
template <class W>
__device__ __forceinline__ W canonical(W x, Bounds<W> m) {
  return subtract_if_reaches(subtract_if_reaches(x, m.two_q), m.q);
}

/// x, y in [0, 4q) -> x + w y, x - w y in [0, 4q).
template <class W>
__device__ __forceinline__ void forward_butterfly(W& x, W& y, Twiddle<W> w, Bounds<W> m) {
  const W reduced = subtract_if_reaches(x, m.two_q), product = w.multiply_lazy(y, m.q);
  x = reduced + product;
  y = reduced + m.two_q - product;
}

/// x, y in [0, 2q) -> x + y, w (x - y) in [0, 2q).
template <class W>
__device__ __forceinline__ void inverse_butterfly(W& x, W& y, Twiddle<W> w, Bounds<W> m) {
  const W sum = x + y, difference = x + m.two_q - y;
  x = subtract_if_reaches(sum, m.two_q);
  y = w.multiply_lazy(difference, m.q);
}

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
__device__ __forceinline__ void forward_stages(W* v, const Twiddle<W>* roots, unsigned group, Bounds<W> m) {
  if constexpr (J < E) {
    constexpr unsigned gap = 1u << (E - 1 - J);
    for_factors<1u << J>(roots, group << J, [&](unsigned k, Twiddle<W> w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) forward_butterfly(v[2 * k * gap + i], v[(2 * k + 1) * gap + i], w, m);
    });
    forward_stages<E, J + 1>(v, roots, group, m);
  }
}

/// Stages J - 1 ... Last of a pass on 2^E values of one group, in the inverse direction.
template <unsigned E, unsigned Last, unsigned J = E, class W>
__device__ __forceinline__ void inverse_stages(W* v, const Twiddle<W>* roots, unsigned group, Bounds<W> m) {
  if constexpr (J > Last) {
    constexpr unsigned gap = 1u << (E - J);
    for_factors<1u << (J - 1)>(roots, group << (J - 1), [&](unsigned k, Twiddle<W> w) {
#pragma unroll
      for (unsigned i = 0; i < gap; ++i) inverse_butterfly(v[2 * k * gap + i], v[(2 * k + 1) * gap + i], w, m);
    });
    inverse_stages<E, Last, J - 1>(v, roots, group, m);
  }
}

/// How a limb of 2^LogN values is spread over 2^LogC blocks of threads with 2^LogV values each.
///
/// Pass 0 sees the whole limb: thread `unit` u holds the values r (n >> E0) + u. Pass P > 0 sees one block's chunk of
/// n / 2^LogC successive values. After the last pass a unit holds 2^last successive values; `settle` swaps them within
/// each warp so that lanes hold successive vectors of 16 bytes, as they are best loaded and stored.
template <class Word_, unsigned LogN, unsigned LogV, unsigned LogC>
struct BlockTransform {
  using W = Word_;
  static constexpr unsigned degree = 1u << LogN, values = 1u << LogV, blocks = 1u << LogC, local = degree >> LogC,
                            threads = local >> LogV, passes = (LogN + LogV - 1) / LogV;
  static constexpr unsigned exponent(unsigned p) { return before(p + 1) - before(p); }
  static constexpr unsigned before(unsigned p) { return p * (LogN / passes) + std::min(p, LogN % passes); }
  static_assert(passes >= 2 && exponent(0) >= LogC && exponent(0) <= LogV && threads % 32 == 0);
  static constexpr unsigned first = exponent(0), last = exponent(passes - 1);
  static constexpr unsigned wide = 16 / sizeof(W), quads = (1u << last) / wide;  ///< words of a vector, vectors of a unit
  static_assert(quads >= 1);

  __device__ static unsigned rank() { return LogC == 0 ? 0 : blockIdx.x; }

  /// Where value r of unit k of this thread lies in the limb, in the first pass; that of (0, 0), and the distance.
  __device__ static unsigned first_index() { return rank() * (values >> first) * threads + threadIdx.x; }
  __device__ static constexpr unsigned first_offset(unsigned k, unsigned r) {
    return (r << (LogN - first)) + k * threads;
  }
  /// Where vector j of unit k of this thread lies once settled.
  __device__ static unsigned settled_index() { return rank() * local + warp_start() + lane() * wide; }
  __device__ static constexpr unsigned settled_offset(unsigned k, unsigned j) {
    return ((k * threads) << last) + j * 32 * wide;
  }

 private:
  static constexpr unsigned lane_bits = sizeof(W) == 4 ? 5 : 4;  // lanes whose words fill the banks once
  static constexpr unsigned rest_after(unsigned p) { return LogN - before(p + 1); }

  /// How an exchange of values pads its words so that the lanes of both sides find different banks: a vector for every
  /// 128 bytes, and `extra` words for every 2^shift, where one side's lanes take runs of 2^run words at distance
  /// 2^shift. at(a + b) = at(a) + at(b) where a and b have no bit in common: so a thread computes one address, and its
  /// other values lie at constant distances.
  template <unsigned Shift, unsigned Run>
  struct Padding {
    static constexpr unsigned extra =
        Run >= lane_bits || Run == 0 ? 0 : ((1u << Run) - (wide << Shift >> lane_bits)) & ((1u << lane_bits) - 1);
    __host__ __device__ static constexpr unsigned at(unsigned i) { return i + wide * (i >> lane_bits) + extra * (i >> Shift); }
  };
  static constexpr bool has_runs(unsigned p) { return rest_after(p) > 0 && rest_after(p) < lane_bits; }
  /// Between pass X and the next, except backwards from pass 1 to pass 0.
  static constexpr unsigned run_pass(unsigned x) { return has_runs(x + 1) ? x + 1 : x; }
  template <unsigned X>
  using Exchange = Padding<rest_after(run_pass(X)) + exponent(run_pass(X)), rest_after(run_pass(X))>;
  static constexpr unsigned log_segment = LogN - LogC - first;  // a block's columns of a row of the first pass
  using BackExchange = Padding<log_segment, rest_after(1)>;

  template <unsigned X>
  static constexpr unsigned most_words() {
    if constexpr (X + 1 == passes) {
      return BackExchange::at(local);
    } else {
      return std::max(Exchange<X>::at(local), most_words<X + 1>());
    }
  }

 public:
  using Workspace = ClusterExchange<W, LogC, local>;
  static constexpr unsigned shared_words = most_words<0>();
  static_assert(shared_words % wide == 0);
  static constexpr std::size_t shared_bytes = Workspace::barrier_bytes + shared_words * sizeof(W);  ///< of a Workspace

  /// v: values of the first pass in [0, 4q) -> values of the last pass in [0, 4q).
  __device__ static void forward(W (&v)[values], Workspace& space, const Twiddle<W>* roots, Bounds<W> m) {
    space.arrive();
#pragma unroll
    for (unsigned k = 0; k < values >> first; ++k) forward_stages<first>(v + (k << first), roots, 1, m);
    space.wait();
    constexpr unsigned rows = 1u << (first - LogC), column_bits = LogN - first;  // rows that a block gets
    using X = Exchange<0>;
    const unsigned base = X::at(rank() * (values >> first) * threads) + X::at(threadIdx.x);
#pragma unroll
    for (unsigned r = 0; r < 1u << first; ++r) {
#pragma unroll
      for (unsigned k = 0; k < values >> first; ++k) {
        space.send(r / rows, base + X::at(r % rows << column_bits) + X::at(k * threads), v[(k << first) + r]);
      }
    }
    space.receive();
    forward_from<1>(v, space.words(), roots, m);
  }

  /// v: values of the last pass in [0, 2q) -> values of the first pass in [0, q), scaled.
  __device__ static void inverse(W (&v)[values], Workspace& space, const Twiddle<W>* inverse_roots,
                                 const InverseScale<W>& scale, Bounds<W> m) {
    inverse_to<passes - 1>(v, space, inverse_roots, m);
    space.wait();
    // Row by row of the first pass, a block's columns: the block's number is in the top bits of r.
    constexpr unsigned e = exponent(1), rest = rest_after(1);
    static_assert(e >= LogC);
    constexpr unsigned columns = 1u << (e - LogC);
    using X = BackExchange;
    const unsigned base = X::at(rank() << (first - LogC + log_segment)) + X::at(spread(threadIdx.x, rest));
#pragma unroll
    for (unsigned r = 0; r < 1u << e; ++r) {
#pragma unroll
      for (unsigned k = 0; k < values >> e; ++k) {
        space.send(r / columns, base + X::at(r % columns << rest) + X::at(spread(k * threads, rest)), v[(k << e) + r]);
      }
    }
    space.receive();
    const W* const source = space.words() + X::at(threadIdx.x);
#pragma unroll
    for (unsigned k = 0; k < values >> first; ++k) {
#pragma unroll
      for (unsigned r = 0; r < 1u << first; ++r) v[(k << first) + r] = source[X::at(r << log_segment) + X::at(k * threads)];
      inverse_stages<first, 1>(v + (k << first), inverse_roots, 1, m);
      constexpr unsigned half = 1u << (first - 1);
#pragma unroll
      for (unsigned i = 0; i < half; ++i) {
        W &x = v[(k << first) + i], &y = v[(k << first) + half + i];
        const W sum = x + y, difference = x + m.two_q - y;
        x = subtract_if_reaches(scale.inverse_degree.multiply_lazy(sum, m.q), m.q);
        y = subtract_if_reaches(scale.last_root.multiply_lazy(difference, m.q), m.q);
      }
    }
  }

  /// v: as `forward` has just left it -> settled. Each warp for itself, in its own part of the words, which no other
  /// thread reads after a forward transform's last exchange.
  __device__ static void settle(W (&v)[values], Workspace& space) {
    swap_vectors(v, space.words(), [](unsigned j) { return lane() * quads + j; }, [](unsigned j) { return j * 32 + lane(); });
  }
  /// v: settled -> as `inverse` wants it.
  __device__ static void unsettle(W (&v)[values], Workspace& space) {
    space.enter();
    swap_vectors(v, space.words(), [](unsigned j) { return j * 32 + lane(); }, [](unsigned j) { return lane() * quads + j; });
  }

 private:
  __device__ static unsigned lane() { return threadIdx.x % 32; }
  __device__ static unsigned warp_start() { return (threadIdx.x / 32) << (5 + last); }

  template <class From, class To>
  __device__ static void swap_vectors(W (&v)[values], W* shared, const From& from, const To& to) {
    if constexpr (quads == 1) return;
    const auto place = [&](unsigned k, unsigned vector) {  // swapped so that 8 lanes find different banks
      W* const region = shared + Exchange<passes - 2>::at(warp_start()) + Exchange<passes - 2>::at((k * threads) << last);
      return reinterpret_cast<Vector<W>*>(region) + (vector ^ ((vector >> 3) & 7));
    };
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < values / wide; ++i) *place(i / quads, from(i % quads)) = Vector<W>(v + i * wide);
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < values / wide; ++i) place(i / quads, to(i % quads))->store(v + i * wide);
    __syncwarp();
  }

  /// Bits of a unit's number in pass 1, group and column, as they lie in one block's columns of the first pass.
  __device__ static constexpr unsigned spread(unsigned unit, unsigned rest) {
    return ((unit >> rest) << log_segment) | (unit & ((1u << rest) - 1));
  }
  /// Where value r of a unit lies within this block's chunk, P > 0.
  template <unsigned P>
  __device__ static constexpr unsigned local_index(unsigned unit, unsigned r) {
    constexpr unsigned rest = rest_after(P);
    return ((unit >> rest) << (rest + exponent(P))) | (r << rest) | (unit & ((1u << rest) - 1));
  }
  template <unsigned P>
  __device__ static unsigned group_of(unsigned k) {
    constexpr unsigned rest = rest_after(P);
    return (1u << before(P)) + (rank() << (before(P) - LogC)) + ((k * threads + threadIdx.x) >> rest);
  }

  /// A thread's values of pass P from (to) shared memory, in exchange X.
  template <unsigned P, unsigned X>
  __device__ static void load_chunk(W (&v)[values], const W* shared) {
    using Pad = Exchange<X>;
    constexpr unsigned e = exponent(P), step = P + 1 == passes ? wide : 1;
    const W* const chunk = shared + Pad::at(local_index<P>(threadIdx.x, 0));
#pragma unroll
    for (unsigned i = 0; i < values; i += step) {
      const W* const source = chunk + Pad::at(local_index<P>((i >> e) * threads, 0)) +
                              Pad::at(local_index<P>(0, i & ((1u << e) - 1)));
      if constexpr (step == 1) {
        v[i] = *source;
      } else {
        reinterpret_cast<const Vector<W>*>(source)->store(v + i);
      }
    }
  }
  template <unsigned P, unsigned X>
  __device__ static void store_chunk(const W (&v)[values], W* shared) {
    using Pad = Exchange<X>;
    constexpr unsigned e = exponent(P), step = P + 1 == passes ? wide : 1;
    W* const chunk = shared + Pad::at(local_index<P>(threadIdx.x, 0));
#pragma unroll
    for (unsigned i = 0; i < values; i += step) {
      W* const target = chunk + Pad::at(local_index<P>((i >> e) * threads, 0)) +
                        Pad::at(local_index<P>(0, i & ((1u << e) - 1)));
      if constexpr (step == 1) {
        *target = v[i];
      } else {
        *reinterpret_cast<Vector<W>*>(target) = Vector<W>(v + i);
      }
    }
  }

  template <unsigned P>
  __device__ static void forward_from(W (&v)[values], W* shared, const Twiddle<W>* roots, Bounds<W> m) {
    constexpr unsigned e = exponent(P);
    load_chunk<P, P - 1>(v, shared);
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) forward_stages<e>(v + (k << e), roots, group_of<P>(k), m);
    if constexpr (P + 1 < passes) {
      if constexpr (!std::is_same_v<Exchange<P>, Exchange<P - 1>>) __syncthreads();
      store_chunk<P, P>(v, shared);
      __syncthreads();
      forward_from<P + 1>(v, shared, roots, m);
    }
  }

  /// Passes P ... 1; the values of pass 1 stay in registers.
  template <unsigned P>
  __device__ static void inverse_to(W (&v)[values], Workspace& space, const Twiddle<W>* roots, Bounds<W> m) {
    constexpr unsigned e = exponent(P);
    if constexpr (P == 1) space.arrive();
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) inverse_stages<e, 0>(v + (k << e), roots, group_of<P>(k), m);
    if constexpr (P > 1) {
      if constexpr (P + 1 == passes) {
        space.enter();
      } else if constexpr (!std::is_same_v<Exchange<P>, Exchange<P - 1>>) {
        __syncthreads();
      }
      store_chunk<P, P - 1>(v, space.words());
      __syncthreads();
      load_chunk<P - 1, P - 1>(v, space.words());
      inverse_to<P - 1>(v, space, roots, m);
    }
  }
};

}  // namespace cyclotome::cuda
