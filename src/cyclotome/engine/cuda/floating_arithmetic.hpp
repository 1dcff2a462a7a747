// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "cyclotome/math/word.hpp"

// Residues modulo an odd q < 2^50 in doubles: integers of either sign, congruent to the residue and at most a few q in
// magnitude, so that all sums are exact. A product y w is the exact sum of two doubles, h = fl(y w) and its error l.
// With b the integer next to h/q, (h - b q) + l is congruent to y w, and both steps are exact again: nothing is ever
// rounded but h, which l makes good, and b, where any integer nearby would do.
//
// For hosts and devices; the bits are the same on both. No sum has a product as its operand, so a compiler that merges
// products and sums finds none to merge.
namespace cyclotome::cuda {

/// Exclusive upper bound of a modulus for this arithmetic.
inline constexpr std::uint64_t max_floating_modulus = std::uint64_t{1} << 50;

/// How far values lie from 0, in units of q. u = 2^-53 is the rounding error of an operation.
///
/// Let |y| <= a q and |w| <= c q. The rounded reciprocal and h put fl(h / q) within (2u + u^2) |y w| / q of y w / q, so
/// |y w - b q| <= q (1/2 + a c q (2u + u^2)) < q (1/2 + a c / 4) for q < 2^50. b comes from adding 1.5 2^52, which
/// rounds to integers below 2^51 in magnitude: a c q <= 2^51, so a c <= 2. Then |h - b q| is below 1.25 q, and
/// everything else that is added up is an integer up to 2^53 = 8 q.
///
/// x / q is at least 1 / 2q > 4u from a half; fl(1 / q) moves it by at most u |x| / q. So up to 4 q the integer next to
/// it is found, and x less so many q is the centred residue.
namespace floating_bounds {

inline constexpr double centred = 0.5;            ///< a factor, and what `reduce` leaves of up to 4 q
inline constexpr double rounded = 0.5 + 0x1p-50;  ///< what it leaves of up to 8 q
inline constexpr double operand = 4;              ///< what may be multiplied by a centred factor
inline constexpr double exact = 8;                ///< what may be added up

constexpr double product(double a, double c) { return 0.5 + a * c / 4; }

/// Before stage `stage` of a forward transform whose input is centred. x -> x +- w y adds a product to a value; where
/// that would be too much for the next stage's factor, this stage reduces its x first. That is every fourth stage.
constexpr double before_forward(unsigned stage) {
  double bound = centred;
  for (unsigned s = 0; s < stage; ++s) {
    const double added = product(bound, centred);
    bound = (bound + added > operand ? centred : bound) + added;
  }
  return bound;
}
/// Whether stage `stage` of `stages` reduces x: never the last, after which nothing is multiplied.
constexpr bool forward_reduces(unsigned stage, unsigned stages) {
  const double bound = before_forward(stage);
  return bound + product(bound, centred) > operand && stage + 1 < stages;
}
constexpr double after_forward(unsigned stages) {
  const double bound = before_forward(stages - 1);
  return bound + product(bound, centred);
}

/// Before a stage of an inverse transform, so that differences can be multiplied by a factor.
inline constexpr double inverse_operand = operand / 2;

/// Before stage `stage` of a pass of an inverse transform, at places that are `place` modulo 2^stage: a stage leaves
/// sums at its even places, which are reduced where they are too much for the next, and products at its odd ones.
constexpr double before_inverse(unsigned stage, unsigned place) {
  double bound = inverse_operand;
  for (unsigned s = 0; s < stage; ++s) {
    const double sum = 2 * bound;
    bound = (place >> s & 1) != 0 ? product(sum, centred) : sum > inverse_operand ? centred : sum;
  }
  return bound;
}
/// Bit i: whether stage `stage` of a pass reduces sums at places that are i modulo 2^stage.
constexpr std::uint32_t inverse_reduces(unsigned stage) {
  std::uint32_t places = 0;
  for (unsigned i = 0; i < 1u << stage; ++i) {
    if (2 * before_inverse(stage, i) > inverse_operand) places |= std::uint32_t{1} << i;
  }
  return places;
}

/// Products of two reduced values that may be added to a reduced sum.
inline constexpr std::uint32_t lazy_products =
    static_cast<std::uint32_t>((exact - rounded) / product(rounded, rounded));

}  // namespace floating_bounds

/// Arithmetic modulo one q. Ranges are in units of q, as above.
class FloatingArithmetic {
 public:
  using Word = std::uint64_t;
  using Value = double;
  using Factor = double;
  using LastFactor = double;

  /// q odd, below max_floating_modulus; reciprocal = fl(1 / q).
  CYCLOTOME_HD FloatingArithmetic(std::uint64_t q, double reciprocal)
      : q_(q), modulus_(as_double(q | implicit_bit) - unit), reciprocal_(reciprocal) {}

  /// Tables: LimbTables of a limb that has a transform on doubles.
  template <class Tables>
  CYCLOTOME_HD explicit FloatingArithmetic(const Tables& t)
      : FloatingArithmetic(t.modulus.value(), t.floating.reciprocal) {}

  template <class Tables>
  CYCLOTOME_HD static bool serves(const Tables& t) {
    return t.floating.roots != nullptr;
  }
  template <class Tables>
  CYCLOTOME_HD static const Factor* roots(const Tables& t) {
    return t.floating.roots;
  }
  template <class Tables>
  CYCLOTOME_HD static const Factor* inverse_roots(const Tables& t) {
    return t.floating.inverse_roots;
  }

  template <class Tables>
  CYCLOTOME_HD static const Factor* last_roots(const Tables& t) {
    return t.floating.roots;
  }
  template <class Tables>
  CYCLOTOME_HD static const Factor* last_inverse_roots(const Tables& t) {
    return t.floating.inverse_roots;
  }

  CYCLOTOME_HD static Factor factor(Factor w) { return w; }

  /// x in [0, q) -> the same residue in [-(q - 1)/2, (q - 1)/2].
  CYCLOTOME_HD double centred(std::uint64_t x) const {
    const std::uint64_t origin = implicit_bit + (x > q_ / 2 ? q_ : 0);
    return as_double(x | implicit_bit) - as_double(origin);
  }
  /// x in [0, q), or in [0, 4q) -> what a transform starts from, centred.
  CYCLOTOME_HD double value(std::uint64_t x) const { return centred(x); }
  CYCLOTOME_HD double lazy_value(std::uint64_t x) const { return reduce(as_double(x | implicit_bit) - unit); }

  /// |x| <= `operand` -> the centred residue; |x| <= `exact` -> the same residue, at most `rounded`.
  CYCLOTOME_HD double reduce(double x) const { return std::fma(-nearest_integer(x), modulus_, x); }

  /// |x| <= a, |w| <= c, a c <= 2 -> x w, at most product(a, c).
  CYCLOTOME_HD double multiply(double x, double w) const {
    const double high = x * w, low = std::fma(x, w, -high);
    return std::fma(-nearest_integer(high), modulus_, high) + low;
  }

  /// |x| <= `exact` -> [0, q).
  CYCLOTOME_HD std::uint64_t canonical(double x) const { return word(reduce(x)); }
  /// |x| < 1 -> [0, q).
  CYCLOTOME_HD std::uint64_t word(double x) const {
    const auto value =
        static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x + magic) - std::bit_cast<std::uint64_t>(magic));
    return static_cast<std::uint64_t>(value) + (value < 0 ? q_ : 0);
  }

  // Products of transforms: as IntegerArithmetic has them. `reduced` values and centred ones are factors.
  CYCLOTOME_HD double halved(double x) const { return reduce(x); }
  CYCLOTOME_HD double product(double x, double y) const { return multiply(x, y); }
  CYCLOTOME_HD double products(double x, double y, double u, double v) const { return multiply(x, y) + multiply(u, v); }
  CYCLOTOME_HD void add_product(double& sum, double x, double y) const { sum += multiply(x, y); }
  CYCLOTOME_HD double operand(double x) const { return reduce(x); }
  static constexpr std::uint32_t lazy_products = floating_bounds::lazy_products;
  CYCLOTOME_HD double reduced(double sum) const { return reduce(sum); }
  template <class Tables>
  CYCLOTOME_HD std::uint64_t residue(double sum, const Tables& /*t*/) const {
    return canonical(sum);
  }

  /// x, y -> x + w y, x - w y. |x|, |y| <= before_forward of the stage, which says whether it reduces x.
  CYCLOTOME_HD void forward_butterfly(double& x, double& y, double w, bool reduces) const {
    const double kept = reduces ? reduce(x) : x, product = multiply(y, w);
    x = kept + product;
    y = kept - product;
  }
  template <unsigned Stage, unsigned Stages>
  CYCLOTOME_HD void forward_butterfly(double& x, double& y, double w) const {
    constexpr bool reduces = floating_bounds::forward_reduces(Stage, Stages);
    forward_butterfly(x, y, w, reduces);
  }

  /// The first stage of a transform of residues: as any first stage.
  CYCLOTOME_HD void first_butterfly(double& x, double& y, double w) const { forward_butterfly(x, y, w, false); }

  /// x, y -> x + y, w (x - y). |x|, |y| <= before_inverse of stage and place, which say whether to reduce the sum.
  CYCLOTOME_HD void inverse_butterfly(double& x, double& y, double w, bool reduces) const {
    const double sum = x + y;
    y = multiply(x - y, w);
    x = reduces ? reduce(sum) : sum;
  }
  template <unsigned Stage>
  CYCLOTOME_HD void inverse_butterfly(double& x, double& y, double w, unsigned place) const {
    constexpr std::uint32_t places = floating_bounds::inverse_reduces(Stage);
    inverse_butterfly(x, y, w, (places >> place & 1) != 0);
  }
  /// x, y -> (x + y)/n, w (x - y)/n, below 1, of the last inverse stage: two factors that are products with 1/n.
  CYCLOTOME_HD void last_inverse_butterfly(double& x, double& y, double inverse_degree, double last_root) const {
    const double sum = x + y;
    y = multiply(x - y, last_root);
    x = multiply(sum, inverse_degree);
  }
  template <bool OfProducts, class Tables>
  CYCLOTOME_HD void last_inverse_butterfly(double& x, double& y, const Tables& t) const {
    last_inverse_butterfly(x, y, t.floating.inverse_degree, t.floating.last_inverse_root);
  }

 private:
  static constexpr double unit = 0x1p52, magic = 0x1.8p52;
  static constexpr std::uint64_t implicit_bit = std::bit_cast<std::uint64_t>(unit);  // | x: 2^52 + x, for x < 2^52

  CYCLOTOME_HD static double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
  /// The integer next to x / q, or another next to it: |x| < 2^51 q.
  CYCLOTOME_HD double nearest_integer(double x) const { return std::fma(x, reciprocal_, magic) - magic; }

  std::uint64_t q_ = 1;
  double modulus_ = 1, reciprocal_ = 1;
};

}  // namespace cyclotome::cuda
