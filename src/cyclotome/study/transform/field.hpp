// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/tables/galois_tables.hpp"
#include "cyclotome/study/transform/barrett.hpp"

// What a transform under study computes with: residues, or Gaussian residues. What it does is templates on these two,
// for host and device. All values are fully reduced between stages, and inverse butterflies halve, so that no scaling
// is left (paper 001, Algorithm 7 as corrected and Section 4.2.3). No branch and no address depends on a value.
namespace cyclotome::study {

/// Values of a polynomial in memory: word i, and for Gaussian residues its imaginary part `stride` words further on.
template <class W>
struct Cells {
  W* data;
  std::uint32_t stride;

  CYCLOTOME_HD Cells operator+(std::uint32_t offset) const { return {data + offset, stride}; }
};

/// Constants of one limb, as arrays that somebody else keeps: on the host or on a device. For transforms in place the
/// roots of every stage, in bit-reversed order; for self-sorting ones the powers of the root of unity, in order, and
/// the weights of the twist, of which the inverse ones carry the scaling.
template <class Value>
struct Constants {
  const Value *roots, *inverse_roots, *weights, *inverse_weights;
};

template <LimbWord W>
struct ResidueField {
  using Word = W;
  using Value = W;
  static constexpr std::uint32_t words = 1;  ///< a value

  Modulus<W> q;
  BarrettProduct<W> barrett;
  Constants<W> constants;

  CYCLOTOME_HD static W load(Cells<W> x, std::uint32_t i) { return x.data[i]; }
  CYCLOTOME_HD static void store(Cells<W> x, std::uint32_t i, W value) { x.data[i] = value; }

  /// Both are the corrected Algorithm 7; `Modulus` has it with narrower operands, but for 64-bit words only.
  CYCLOTOME_HD W product(W a, W b) const {
    if constexpr (sizeof(W) == 4) {
      return barrett.multiply(a, b);
    } else {
      return q.multiply(a, b);
    }
  }
  CYCLOTOME_HD W sum(W a, W b) const { return q.add(a, b); }
  CYCLOTOME_HD W difference(W a, W b) const { return q.subtract(a, b); }
  CYCLOTOME_HD W half(W a) const { return halve(a, q.value()); }
};

template <LimbWord W>
struct GaussianField {
  using Word = W;
  using Value = Gaussian<W>;
  static constexpr std::uint32_t words = 2;

  Modulus<W> q;
  Constants<Value> constants;
  W imaginary_unit;  ///< 0 where p = 3 mod 4

  CYCLOTOME_HD static Value load(Cells<W> x, std::uint32_t i) { return {x.data[i], x.data[x.stride + i]}; }
  CYCLOTOME_HD static void store(Cells<W> x, std::uint32_t i, Value value) {
    x.data[i] = value.re;
    x.data[x.stride + i] = value.im;
  }

  CYCLOTOME_HD Value product(Value a, Value b) const { return multiply(a, b, q); }
  CYCLOTOME_HD Value sum(Value a, Value b) const { return add(a, b, q); }
  CYCLOTOME_HD Value difference(Value a, Value b) const { return subtract(a, b, q); }
  CYCLOTOME_HD Value half(Value a) const { return {halve(a.re, q.value()), halve(a.im, q.value())}; }
};

/// The butterfly of a stage, of the values u and v with root number `root`: (u + w v, u - w v), or backwards
/// ((u + v)/2, (u - v)/(2 w)).
template <bool Inverse, class Field>
CYCLOTOME_HD inline void butterfly(const Field& field, typename Field::Value& u, typename Field::Value& v,
                                   std::uint32_t root) {
  if constexpr (Inverse) {
    const auto difference = field.product(field.difference(u, v), field.constants.inverse_roots[root]);
    u = field.half(field.sum(u, v));
    v = field.half(difference);
  } else {
    const auto product = field.product(v, field.constants.roots[root]);
    v = field.difference(u, product);
    u = field.sum(u, product);
  }
}

/// Gaussian values A_k to the library's transform and back, in place: A_k is a(psi^(4 br(k) + 1)) under i -> iota,
/// which is entry k, and a(psi^-(4 br(k) + 1)) under i -> -iota, which is entry n - 1 - k. Does k < n/4 and n/2 - 1 -
/// k, whose four words are read and written by no other.
template <bool Inverse, LimbWord W>
CYCLOTOME_HD inline void conjugate_images(W* x, std::uint32_t k, std::uint32_t degree, const GaussianField<W>& field) {
  const Modulus<W> q = field.q;
  const std::uint32_t half = degree / 2, index[2] = {k, half - 1 - k};
  W first[2], second[2];
  for (int j = 0; j < 2; ++j) {
    first[j] = x[index[j]];
    second[j] = x[Inverse ? degree - 1 - index[j] : half + index[j]];
  }
  for (int j = 0; j < 2; ++j) {
    if constexpr (Inverse) {
      x[index[j]] = halve(q.add(first[j], second[j]), q.value());
      x[half + index[j]] =
          q.multiply(halve(q.subtract(first[j], second[j]), q.value()), q.negate(field.imaginary_unit));
    } else {
      const W turned = q.multiply(second[j], field.imaginary_unit);
      x[index[j]] = q.add(first[j], turned);
      x[degree - 1 - index[j]] = q.subtract(first[j], turned);
    }
  }
}

}  // namespace cyclotome::study
