// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cyclotome/engine/cuda/integer_arithmetic.cuh"
#include "cyclotome/engine/cuda/transform/first_exchange.cuh"
#include "cyclotome/engine/cuda/transform/transform_stages.cuh"

// Negacyclic transforms in one pass over global memory: a limb lives in the registers of a block, or of a cluster of
// blocks that exchange values through distributed shared memory. Between exchanges every thread transforms 2^LogV
// values, several stages at a time. Needs compute capability 9.0.
namespace cyclotome::cuda {

/// The body of such a kernel in code for older devices. Where one is launched by mistake the result is an error, and
/// never memory as it was.
__device__ __forceinline__ void missing_body() { __trap(); }

/// A transform on a layout (transform_layout.cuh). `settle` swaps what the last pass leaves within each warp.
template <class Arithmetic_, unsigned LogN, unsigned LogV, unsigned LogC>
struct BlockTransform
    : TransformLayout<sizeof(typename Arithmetic_::Word), sizeof(typename Arithmetic_::Value), LogN, LogV, LogC> {
  using Arithmetic = Arithmetic_;
  using W = typename Arithmetic::Word;
  using Value = typename Arithmetic::Value;  ///< what residues are while they are transformed
  using Factor = typename Arithmetic::Factor;
  using LastFactor = typename Arithmetic::LastFactor;
  using Layout = TransformLayout<sizeof(W), sizeof(Value), LogN, LogV, LogC>;
  using Layout::before, Layout::exponent, Layout::first, Layout::last, Layout::lane, Layout::passes, Layout::quads,
      Layout::rank, Layout::shared_words, Layout::threads, Layout::units, Layout::values, Layout::warp_start,
      Layout::wide;
  using First = FirstExchange<Layout, Value>;
  using Workspace = typename First::Workspace;
  static constexpr std::size_t shared_bytes =
      Workspace::barrier_bytes + shared_words * sizeof(Value);  ///< of a Workspace

  /// Asks for the factors of this block's last pass forwards, for them to be in the second-level cache when they are
  /// needed.
  __device__ static void prefetch_factors(const LimbTables<W>& t) {
    if (threadIdx.x != 0) return;
    constexpr unsigned p = passes - 1;
    const LastFactor* const roots = Arithmetic::last_roots(t);
#pragma unroll
    for (unsigned j = 0; j < exponent(p); ++j) {
      constexpr unsigned bits = before(p) - LogC;
      const LastFactor* const range = roots + (1u << (before(p) + j)) + (rank() << (bits + j));
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(range),
                   "r"(static_cast<unsigned>(sizeof(LastFactor)) << (bits + j)));
    }
  }

  /// v: values of the first pass -> values of the last pass, in the ranges that the arithmetic says. OfResidues: v are
  /// what the arithmetic makes of residues.
  template <bool OfResidues = false>
  __device__ static void forward(Value (&v)[values], Workspace& space, const LimbTables<W>& t, const Arithmetic& m) {
    const Roots roots{Arithmetic::roots(t), Arithmetic::last_roots(t)};
    space.arrive();
#pragma unroll
    for (unsigned k = 0; k < units; ++k) forward_stages<0, LogN, first, OfResidues>(m, v + (k << first), roots.all, 1);
    space.wait();
    First::send_forward(v, space);
    const auto head = head_of<1, false>(roots);
    space.receive();
    forward_from<1>(v, space, roots, head, m);
  }

  /// v: values of the last pass -> values of the first pass, scaled by 1/n, in the ranges that the arithmetic says.
  /// OfProducts: v are what the arithmetic makes of products.
  template <bool OfProducts = false>
  __device__ static void inverse(Value (&v)[values], Workspace& space, const LimbTables<W>& t, const Arithmetic& m) {
    inverse<OfProducts>(v, space, t, m, first_factors_back(t));
  }
  /// The same with the first factors it needs, which may have been loaded before the values.
  __device__ static auto first_factors_back(const LimbTables<W>& t) { return head_of<passes - 1, true>(roots_back(t)); }
  template <bool OfProducts = false, class Factors>
  __device__ static void inverse(Value (&v)[values], Workspace& space, const LimbTables<W>& t, const Arithmetic& m,
                                 const Factors& factors) {
    const Roots roots = roots_back(t);
    inverse_to<passes - 1>(v, space, roots, factors, m);
    space.wait();
    First::send_back(v, space);
    space.receive();
    First::receive_back(v, space);
#pragma unroll
    for (unsigned k = 0; k < units; ++k) {
      inverse_stages<first, 1>(m, v + (k << first), roots.all, 1);
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

  template <unsigned X>
  using Exchange = typename Layout::template Exchange<X>;
  template <unsigned P>
  __device__ static unsigned group_of(unsigned k) {
    return Layout::template group_of<P>(k);
  }
  template <unsigned P>
  __device__ static constexpr unsigned local_index(unsigned unit, unsigned r) {
    return Layout::template local_index<P>(unit, r);
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

  /// Where a direction's factors lie: of all stages, and as the last pass reads them.
  struct Roots {
    const Factor* all;
    const LastFactor* last;
  };
  __device__ static Roots roots_back(const LimbTables<W>& t) {
    return {Arithmetic::inverse_roots(t), Arithmetic::last_inverse_roots(t)};
  }
  template <unsigned P>
  __device__ static auto roots_of(const Roots& roots) {
    if constexpr (P + 1 == passes) {
      return roots.last;
    } else {
      return roots.all;
    }
  }

  /// A thread's first factors of pass P, loaded before the wait for its values.
  template <unsigned P, bool Back>
  struct Head {
    using Stored = std::conditional_t<P + 1 == passes, LastFactor, Factor>;
    static constexpr unsigned e = exponent(P), units = values >> e;
    static constexpr unsigned stages = head_stages<Stored>(sizeof(W), e, units, Back);
    FactorHead<Stored, e, stages, Back> unit[units];
  };
  template <unsigned P, bool Back>
  __device__ static auto head_of(const Roots& roots) {
    Head<P, Back> head;
#pragma unroll
    for (unsigned k = 0; k < head.units; ++k) head.unit[k].load(roots_of<P>(roots), group_of<P>(k));
    return head;
  }

  template <unsigned P>
  __device__ static void forward_from(Value (&v)[values], Workspace& space, const Roots& roots,
                                      const Head<P, false>& head, const Arithmetic& m) {
    constexpr unsigned e = exponent(P);
    constexpr bool vectors_came = P == 1 && Layout::aligned;
    Value* const shared = space.words();
    if constexpr (vectors_came) {
      First::receive_forward(v, space);
    } else {
      load_chunk<P, P - 1>(v, shared);
    }
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) {
      forward_stages<before(P), LogN, e>(m, v + (k << e), roots_of<P>(roots), group_of<P>(k), head.unit[k]);
    }
    if constexpr (P + 1 < passes) {
      if constexpr (vectors_came || !std::is_same_v<Exchange<P>, Exchange<P - 1>>) __syncthreads();
      store_chunk<P, P>(v, shared);
      const auto next = head_of<P + 1, false>(roots);
      __syncthreads();
      forward_from<P + 1>(v, space, roots, next, m);
    }
  }

  /// Passes P ... 1; the values of pass 1 stay in registers.
  template <unsigned P>
  __device__ static void inverse_to(Value (&v)[values], Workspace& space, const Roots& roots, const Head<P, true>& head,
                                    const Arithmetic& m) {
    constexpr unsigned e = exponent(P);
    if constexpr (P == 1) space.arrive();
#pragma unroll
    for (unsigned k = 0; k < values >> e; ++k) {
      inverse_stages<e, 0>(m, v + (k << e), roots_of<P>(roots), group_of<P>(k), head.unit[k]);
    }
    if constexpr (P > 1) {
      if constexpr (P + 1 == passes) {
        space.enter();
      } else if constexpr (!std::is_same_v<Exchange<P>, Exchange<P - 1>>) {
        __syncthreads();
      }
      store_chunk<P, P - 1>(v, space.words());
      const auto next = head_of<P - 1, true>(roots);
      __syncthreads();
      load_chunk<P - 1, P - 1>(v, space.words());
      inverse_to<P - 1>(v, space, roots, next, m);
    }
  }
};

}  // namespace cyclotome::cuda
