// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/barrett.hpp"
#include "cyclotome/ring/galois_tables.hpp"

// What a transform computes with: residues, or Gaussian residues. The kernels are templates on these two. All values
// are fully reduced between stages, and inverse butterflies halve, so that no scaling is left (paper 001, Algorithm 7
// as corrected and Section 4.2.3).
namespace cyclotome::cuda::study {

/// Values of a polynomial in memory: word i, and for Gaussian residues its imaginary part `stride` words further on.
template <class W>
struct Cells {
  W* data;
  std::uint32_t stride;

  __device__ Cells operator+(std::uint32_t offset) const { return {data + offset, stride}; }
};

template <LimbWord W>
struct ResidueField {
  using Word = W;
  using Value = W;
  static constexpr std::uint32_t words = 1;  ///< a value

  Modulus<W> q;
  BarrettProduct<W> barrett;
  const W *roots, *inverse_roots;

  __device__ static W load(Cells<W> x, std::uint32_t i) { return x.data[i]; }
  __device__ static void store(Cells<W> x, std::uint32_t i, W value) { x.data[i] = value; }
  __device__ static W exchange(W value, unsigned lanes) { return __shfl_xor_sync(0xffffffffU, value, lanes); }

  /// Both are the corrected Algorithm 7; `Modulus` has it with narrower operands, but for 64-bit words only.
  CYCLOTOME_HD W product(W a, W b) const {
    if constexpr (sizeof(W) == 4) {
      return barrett.multiply(a, b);
    } else {
      return q.multiply(a, b);
    }
  }
  CYCLOTOME_HD void forward(W& u, W& v, std::uint32_t root) const {
    const W t = product(v, roots[root]);
    v = q.subtract(u, t);
    u = q.add(u, t);
  }
  CYCLOTOME_HD void inverse(W& u, W& v, std::uint32_t root) const {
    const W difference = q.subtract(u, v);
    u = halve(q.add(u, v), q.value());
    v = halve(product(difference, inverse_roots[root]), q.value());
  }
};

template <LimbWord W>
struct GaussianField {
  using Word = W;
  using Value = Gaussian<W>;
  static constexpr std::uint32_t words = 2;

  Modulus<W> q;
  const Value *roots, *inverse_roots;
  W imaginary_unit;  ///< 0 where p = 3 mod 4

  __device__ static Value load(Cells<W> x, std::uint32_t i) { return {x.data[i], x.data[x.stride + i]}; }
  __device__ static void store(Cells<W> x, std::uint32_t i, Value value) {
    x.data[i] = value.re;
    x.data[x.stride + i] = value.im;
  }

  CYCLOTOME_HD void forward(Value& u, Value& v, std::uint32_t root) const {
    const Value t = multiply(v, roots[root], q);
    v = subtract(u, t, q);
    u = add(u, t, q);
  }
  CYCLOTOME_HD void inverse(Value& u, Value& v, std::uint32_t root) const {
    const Value difference = multiply(subtract(u, v, q), inverse_roots[root], q), sum = add(u, v, q);
    u = {halve(sum.re, q.value()), halve(sum.im, q.value())};
    v = {halve(difference.re, q.value()), halve(difference.im, q.value())};
  }
};

}  // namespace cyclotome::cuda::study
