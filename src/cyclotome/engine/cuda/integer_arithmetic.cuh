// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/tables.cuh"

namespace cyclotome::cuda {

template <class W>
CYCLOTOME_HD __forceinline__ W subtract_if_reaches(W x, W q) {
  if constexpr (sizeof(W) == 4) {
    return __viaddmin_u32(x, 0 - q, x);  // unsigned: x - q is large where x < q; one instruction from 9.0 on
  } else {
    return min(x, static_cast<W>(x - q));  // a comparison and a choice written out take 8 % more instructions
  }
}

/// Arithmetic modulo one q for transforms: values are the words themselves, up to 4q, factors have Shoup quotients. Its
/// counterpart on doubles is FloatingArithmetic.
template <class W>
class IntegerArithmetic {
 public:
  using Word = W;
  using Value = W;
  using Factor = Twiddle<W>;
  using LastFactor = StoredTwiddle<W>;  ///< as a transform's last pass finds them
  CYCLOTOME_HD explicit IntegerArithmetic(const LimbTables<W>& t)
      : q_(t.modulus.value()), two_q_(t.two_q), negative_inverse_(t.negative_inverse) {}

  /// Whether a limb's transforms are computed so, where a ring's limbs differ.
  CYCLOTOME_HD static bool serves(const LimbTables<W>& t) {
    return sizeof(W) == 4 || t.floating.roots == nullptr;  // known without a load for words of 32 bits
  }
  /// Of all passes but the last, and of the last one.
  CYCLOTOME_HD static const Factor* roots(const LimbTables<W>& t) { return t.first_roots; }
  CYCLOTOME_HD static const Factor* inverse_roots(const LimbTables<W>& t) { return t.first_inverse_roots; }
  CYCLOTOME_HD static const LastFactor* last_roots(const LimbTables<W>& t) { return t.roots; }
  CYCLOTOME_HD static const LastFactor* last_inverse_roots(const LimbTables<W>& t) { return t.inverse_roots; }
  template <class Stored>
  CYCLOTOME_HD Factor factor(Stored w) const {
    return w.whole(q_);
  }

  /// x in [0, q), or in [0, 4q) -> what a transform starts from.
  CYCLOTOME_HD W value(W x) const { return x; }
  CYCLOTOME_HD W lazy_value(W x) const { return x; }
  /// What a forward transform leaves, below 4q -> [0, q).
  CYCLOTOME_HD W canonical(W x) const { return subtract_if_reaches(halved(x), q_); }
  /// What an inverse transform leaves -> [0, q).
  CYCLOTOME_HD W word(W x) const { return x; }

  // Products of transforms. `halved` makes [0, 2q) of what a forward transform leaves.
  CYCLOTOME_HD W halved(W x) const { return subtract_if_reaches(x, two_q_); }
  /// x y, and x y + u v, of factors in [0, 2q) -> what the inverse transform of products starts from: [0, 2q), divided
  /// by the word.
  CYCLOTOME_HD W product(W x, W y) const { return quotient(static_cast<Wide<W>>(x) * y); }
  CYCLOTOME_HD W products(W x, W y, W u, W v) const {
    return halved(quotient(static_cast<Wide<W>>(x) * y + static_cast<Wide<W>>(u) * v));  // 8 q^2 / R + q < 3 q
  }
  /// sum, as `product` makes it, += x y; x as a forward transform or `operand` leaves it, y in [0, q).
  CYCLOTOME_HD void add_product(W& sum, W x, W y) const { sum = halved(sum + quotient(static_cast<Wide<W>>(x) * y)); }
  CYCLOTOME_HD W operand(W x) const { return x; }
  /// Sums that got this many products must be `reduced` before they get more; 0: any number.
  static constexpr std::uint32_t lazy_products = 0;
  CYCLOTOME_HD W reduced(W sum) const { return sum; }
  /// A sum of products -> its residue in [0, q).
  CYCLOTOME_HD W residue(W sum, const LimbTables<W>& t) const {
    return subtract_if_reaches(t.word.multiply_lazy(sum, q_), q_);
  }

  // Ranges are the same before and after each stage, so it doesn't matter which stage it is, nor at which place.

  /// x, y in [0, 4q) -> x + w y, x - w y in [0, 4q).
  template <unsigned Stage = 0, unsigned Stages = 0>
  CYCLOTOME_HD __forceinline__ void forward_butterfly(W& x, W& y, Factor w) const {
    const W reduced = halved(x), product = w.multiply_lazy(y, q_);
    x = reduced + product;
    y = reduced + two_q_ - product;
  }
  /// The same of x, y in [0, 2q), in the first stage of a transform of residues.
  CYCLOTOME_HD __forceinline__ void first_butterfly(W& x, W& y, Factor w) const {
    const W kept = x, product = w.multiply_lazy(y, q_);
    x = kept + product;
    y = kept + two_q_ - product;
  }
  /// x, y in [0, 2q) -> x + y, w (x - y) in [0, 2q).
  template <unsigned Stage = 0>
  CYCLOTOME_HD __forceinline__ void inverse_butterfly(W& x, W& y, Factor w, unsigned /*place*/ = 0) const {
    const W sum = x + y, difference = x + two_q_ - y;
    x = halved(sum);
    y = w.multiply_lazy(difference, q_);
  }
  /// x, y in [0, 2q) -> (x + y)/n, w (x - y)/n in [0, q), of the last inverse stage.
  template <bool OfProducts>
  CYCLOTOME_HD __forceinline__ void last_inverse_butterfly(W& x, W& y, const LimbTables<W>& t) const {
    const InverseScale<W>& scale = OfProducts ? t.scale_times_word : t.scale;
    const W sum = x + y, difference = x + two_q_ - y;
    x = subtract_if_reaches(scale.inverse_degree.multiply_lazy(sum, q_), q_);
    y = subtract_if_reaches(scale.last_root.multiply_lazy(difference, q_), q_);
  }

 private:
  CYCLOTOME_HD W quotient(Wide<W> x) const { return divide_by_word(x, q_, negative_inverse_); }

  // Both from memory: a compiler that knows one to be twice the other computes 2q again, in every sum, on the
  // multipliers that the products need.
  W q_, two_q_, negative_inverse_;
};

}  // namespace cyclotome::cuda
