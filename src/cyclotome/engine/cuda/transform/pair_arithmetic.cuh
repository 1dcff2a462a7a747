// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/integer_arithmetic.cuh"

// Two polynomials transformed at once modulo the same prime: one reading of the factors, and of all addresses, for
// both.
namespace cyclotome::cuda {

/// Values of two polynomials at the same place, exchanged as one word of twice the length.
template <class V>
struct alignas(2 * sizeof(V)) Pair {
  V lane[2];
};

/// A transform's arithmetic on pairs, and what it is made of on single values.
template <class A>
class PairArithmetic : public A {
 public:
  using typename A::Factor;
  using typename A::Word;
  using Value = Pair<typename A::Value>;

  __device__ explicit PairArithmetic(const LimbTables<Word>& t) : A(t) {}

  __device__ Value halved(Value x) const { return {A::halved(x.lane[0]), A::halved(x.lane[1])}; }

  template <unsigned Stage = 0, unsigned Stages = 0>
  __device__ __forceinline__ void forward_butterfly(Value& x, Value& y, Factor w) const {
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) A::template forward_butterfly<Stage, Stages>(x.lane[k], y.lane[k], w);
  }
  __device__ __forceinline__ void first_butterfly(Value& x, Value& y, Factor w) const {
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) A::first_butterfly(x.lane[k], y.lane[k], w);
  }
  template <unsigned Stage = 0>
  __device__ __forceinline__ void inverse_butterfly(Value& x, Value& y, Factor w, unsigned place = 0) const {
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) A::template inverse_butterfly<Stage>(x.lane[k], y.lane[k], w, place);
  }
  template <bool OfProducts>
  __device__ __forceinline__ void last_inverse_butterfly(Value& x, Value& y, const LimbTables<Word>& t) const {
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) A::template last_inverse_butterfly<OfProducts>(x.lane[k], y.lane[k], t);
  }
};

template <class A>
inline constexpr bool of_pairs = false;
template <class A>
inline constexpr bool of_pairs<PairArithmetic<A>> = true;

}  // namespace cyclotome::cuda
