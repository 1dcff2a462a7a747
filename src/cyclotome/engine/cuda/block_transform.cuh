// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "cyclotome/engine/cuda/cluster_exchange.cuh"
#include "cyclotome/engine/cuda/integer_arithmetic.cuh"
#include "cyclotome/engine/cuda/transform_stages.cuh"

// Negacyclic transforms in one pass over global memory: a limb lives in the registers of a block, or of a cluster of
// blocks that exchange values through distributed shared memory. Between exchanges every thread transforms 2^LogV
// values, several stages at a time. Needs compute capability 9.0.
namespace cyclotome::cuda {

/// The body of such a kernel in code for older devices. Where one is launched by mistake the result is an error, and
/// never memory as it was.
__device__ __forceinline__ void missing_body() { __trap(); }

/// How a limb of 2^LogN values is spread over 2^LogC blocks of threads with 2^LogV values each.
///
/// Pass 0 sees the whole limb: thread `unit` u holds the values r (n >> E0) + u. Pass P > 0 sees one block's chunk of
/// n / 2^LogC successive values. After the last pass a unit holds 2^last successive values; `settle` swaps them within
/// each warp so that lanes hold successive vectors of 16 bytes, as they are best loaded and stored.
template <class Arithmetic_, unsigned LogN, unsigned LogV, unsigned LogC>
struct BlockTransform {
  using Arithmetic = Arithmetic_;
  using W = typename Arithmetic::Word;
  using Value = typename Arithmetic::Value;  ///< what residues are while they are transformed
  using Factor = typename Arithmetic::Factor;
  static constexpr unsigned log_degree = LogN, log_values = LogV, log_blocks = LogC;
  static constexpr unsigned degree = 1u << LogN, values = 1u << LogV, blocks = 1u << LogC, local = degree >> LogC,
                            threads = local >> LogV, passes = (LogN + LogV - 1) / LogV;
  static constexpr unsigned exponent(unsigned p) { return before(p + 1) - before(p); }
  static constexpr unsigned before(unsigned p) { return p * (LogN / passes) + std::min(p, LogN % passes); }
  static_assert(passes >= 2 && LogC < exponent(0) + 1 && exponent(0) <= LogV && threads % 32 == 0);
  static constexpr unsigned first = exponent(0), last = exponent(passes - 1);
  static constexpr unsigned wide = 16 / sizeof(Value),
                            quads = (1u << last) / wide;  ///< values of a vector, vectors of a unit
  static_assert(quads >= 1);
  static constexpr unsigned vectors = values / wide;

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
  static constexpr unsigned lane_bits = sizeof(Value) == 4 ? 5 : 4;  // lanes whose words fill the banks once
  static constexpr unsigned rest_after(unsigned p) { return LogN - before(p + 1); }

  /// How values that are exchanged are padded in shared memory, so that the lanes of both sides find different banks:
  /// by a vector for every 128 bytes, and `extra` words for every 2^shift, where one side's lanes take runs of 2^run
  /// words at distance 2^shift. at(a + b) = at(a) + at(b) where a and b have no bit in common. So a thread computes one
  /// address, and finds its other values at constant distances.
  template <unsigned Shift, unsigned Run>
  struct Padding {
    static constexpr unsigned extra =
        Run >= lane_bits || Run == 0 ? 0 : ((1u << Run) - (wide << Shift >> lane_bits)) & ((1u << lane_bits) - 1);
    static_assert(extra % wide == 0, "vectors would not be aligned");
    __host__ __device__ static constexpr unsigned at(unsigned i) {
      return i + wide * (i >> lane_bits) + extra * (i >> Shift);
    }
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
  using Workspace = ClusterExchange<Value, LogC, local>;
  static constexpr unsigned shared_words = most_words<0>();
  static_assert(shared_words % wide == 0);
  static constexpr std::size_t shared_bytes =
      Workspace::barrier_bytes + shared_words * sizeof(Value);  ///< of a Workspace

  /// v: values of the first pass -> values of the last pass, in the ranges that the arithmetic says.
  __device__ static void forward(Value (&v)[values], Workspace& space, const LimbTables<W>& t, const Arithmetic& m) {
    const Factor* const roots = Arithmetic::roots(t);
    space.arrive();
#pragma unroll
    for (unsigned k = 0; k < values >> first; ++k) forward_stages<0, LogN, first>(m, v + (k << first), roots, 1);
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

  /// v: values of the last pass -> values of the first pass, scaled by 1/n, in the ranges that the arithmetic says.
  /// OfProducts: v are what the arithmetic makes of products.
  template <bool OfProducts = false>
  __device__ static void inverse(Value (&v)[values], Workspace& space, const LimbTables<W>& t, const Arithmetic& m) {
    inverse_to<passes - 1>(v, space, Arithmetic::inverse_roots(t), m);
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
    const Value* const source = space.words() + X::at(threadIdx.x);
#pragma unroll
    for (unsigned k = 0; k < values >> first; ++k) {
#pragma unroll
      for (unsigned r = 0; r < 1u << first; ++r)
        v[(k << first) + r] = source[X::at(r << log_segment) + X::at(k * threads)];
      inverse_stages<first, 1>(m, v + (k << first), Arithmetic::inverse_roots(t), 1);
      constexpr unsigned half = 1u << (first - 1);
#pragma unroll
      for (unsigned i = 0; i < half; ++i) {
        m.template last_inverse_butterfly<OfProducts>(v[(k << first) + i], v[(k << first) + half + i], t);
      }
    }
  }

  /// v: as `forward` has just left it -> settled. Each warp for itself, in its own part of the words, which no other
  /// thread reads after a forward transform's last exchange.
  template <class X>
  __device__ static void settle(X (&v)[values], Workspace& space) {
    swap_vectors(
        v, reinterpret_cast<X*>(space.words()), [](unsigned j) { return lane() * quads + j; },
        [](unsigned j) { return j * 32 + lane(); });
  }
  /// v: settled -> as `inverse` wants it.
  template <class X>
  __device__ static void unsettle(X (&v)[values], Workspace& space) {
    space.enter();
    swap_vectors(
        v, reinterpret_cast<X*>(space.words()), [](unsigned j) { return j * 32 + lane(); },
        [](unsigned j) { return lane() * quads + j; });
  }

 private:
  __device__ static unsigned lane() { return threadIdx.x % 32; }
  __device__ static unsigned warp_start() { return (threadIdx.x / 32) << (5 + last); }

  template <class X, class From, class To>
  __device__ static void swap_vectors(X (&v)[values], X* shared, const From& from, const To& to) {
    if constexpr (quads == 1) return;
    const auto place = [&](unsigned k, unsigned vector) {  // swapped so that 8 lanes find different banks
      X* const region =
          shared + Exchange<passes - 2>::at(warp_start()) + Exchange<passes - 2>::at((k * threads) << last);
      return reinterpret_cast<Vector<X>*>(region) + (vector ^ ((vector >> 3) & 7));
    };
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < values / wide; ++i) *place(i / quads, from(i % quads)) = Vector<X>(v + i * wide);
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
  __device__ static void load_chunk(Value (&v)[values], const Value* shared) {
    using Pad = Exchange<X>;
    constexpr unsigned e = exponent(P), step = P + 1 == passes ? wide : 1;
    const Value* const chunk = shared + Pad::at(local_index<P>(threadIdx.x, 0));
#pragma unroll
    for (unsigned i = 0; i < values; i += step) {
      const Value* const source =
          chunk + Pad::at(local_index<P>((i >> e) * threads, 0)) + Pad::at(local_index<P>(0, i & ((1u << e) - 1)));
      if constexpr (step == 1) {
        v[i] = *source;
      } else {
        reinterpret_cast<const Vector<Value>*>(source)->store(v + i);
      }
    }
  }
  template <unsigned P, unsigned X>
  __device__ static void store_chunk(const Value (&v)[values], Value* shared) {
    using Pad = Exchange<X>;
    constexpr unsigned e = exponent(P), step = P + 1 == passes ? wide : 1;
    Value* const chunk = shared + Pad::at(local_index<P>(threadIdx.x, 0));
#pragma unroll
    for (unsigned i = 0; i < values; i += step) {
      Value* const target =
          chunk + Pad::at(local_index<P>((i >> e) * threads, 0)) + Pad::at(local_index<P>(0, i & ((1u << e) - 1)));
      if constexpr (step == 1) {
        *target = v[i];
      } else {
        *reinterpret_cast<Vector<Value>*>(target) = Vector<Value>(v + i);
      }
    }
  }

  template <unsigned P>
  __device__ static void forward_from(Value (&v)[values], Value* shared, const Factor* roots, const Arithmetic& m) {
    constexpr unsigned e = exponent(P);
    load_chunk<P, P - 1>(v, shared);
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) {
      forward_stages<before(P), LogN, e>(m, v + (k << e), roots, group_of<P>(k));
    }
    if constexpr (P + 1 < passes) {
      if constexpr (!std::is_same_v<Exchange<P>, Exchange<P - 1>>) __syncthreads();
      store_chunk<P, P>(v, shared);
      __syncthreads();
      forward_from<P + 1>(v, shared, roots, m);
    }
  }

  /// Passes P ... 1; the values of pass 1 stay in registers.
  template <unsigned P>
  __device__ static void inverse_to(Value (&v)[values], Workspace& space, const Factor* roots, const Arithmetic& m) {
    constexpr unsigned e = exponent(P);
    if constexpr (P == 1) space.arrive();
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) inverse_stages<e, 0>(m, v + (k << e), roots, group_of<P>(k));
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
