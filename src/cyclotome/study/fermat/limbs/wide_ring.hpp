// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/study/fermat/limbs/conversion.hpp"

namespace cyclotome::study::fermat {

/// Host memory of wide polynomials, words[part][word][coefficient]; zeroised, since phases and keys pass through it.
using Rows = ZeroisingVector<std::uint64_t>;

/// Coefficients first ... first + count - 1, or all of them.
struct CoefficientRange {
  std::size_t first = 0, count = static_cast<std::size_t>(-1);
};

/// Polynomials of a ring modulo q = 2^(2^x) - 1, in the limbs of a FermatBasis: what is computed coefficient by
/// coefficient. One polynomial is `size()` words, words[word][coefficient]. Immutable.
class WideRing {
 public:
  WideRing(FermatBasis basis, RingShapePtr shape);

  const FermatBasis& basis() const noexcept { return basis_; }
  /// What does not depend on q; rings of words beside this one have it too.
  const RingShapePtr& shape() const noexcept { return shape_; }
  std::size_t degree() const noexcept { return degree_; }
  std::size_t words() const noexcept { return basis_.words(); }
  std::size_t size() const noexcept { return basis_.words() * degree_; }
  /// Where a limb's rows begin in a polynomial.
  std::size_t offset(std::size_t limb) const noexcept { return basis_.limbs()[limb].first_word * degree_; }
  const LimbArithmetic& limb(std::size_t i) const noexcept { return limbs_[i]; }

  using In = const std::uint64_t*;
  using Out = std::uint64_t*;
  using Range = CoefficientRange;
  void add(Out out, In a, In b, Range range = {}) const;
  void subtract(Out out, In a, In b, Range range = {}) const;
  void negate(Out out, In a, Range range = {}) const;
  void scale(Out out, In a, std::uint64_t factor, Range range = {}) const;
  /// One limb's rows times 2^exponent, in place.
  void shift_limb(Out rows, std::size_t limb, std::uint64_t exponent) const;
  /// out += a, of one limb's rows.
  void add_limb(Out out, In a, std::size_t limb) const;
  void subtract_limb(Out out, In a, std::size_t limb) const;
  /// out (rows of limb `to`) = the integers of limb `from`'s rows modulo limb `to`.
  void move_limb(Out out, std::size_t to, In rows, std::size_t from, Range range = {}) const;
  /// Integers of any sign.
  void from_signed(Out out, const std::int64_t* values) const;
  /// Whether every residue is canonical: for what comes from outside.
  bool holds(In rows) const;
  /// Uniform modulo q: every residue is a draw of 128 bits more than the limb's words hold, reduced (bias below
  /// 2^-126). Addressed as sampling.hpp says: nonce (stream 2^16, item, limb), a coefficient's words one after another.
  void uniform(Out out, const Seed& seed, Stream stream, std::uint32_t item) const;

 private:
  /// operation(limb, out words, a words, b words) for every coefficient and limb. b may be null.
  template <class Operation>
  void for_each(Out out, In a, In b, Range range, const Operation& operation) const;
  template <class Operation>
  void for_each_of(const LimbArithmetic& limb, Out out, In a, In b, Range range, const Operation& operation) const;

  FermatBasis basis_;
  RingShapePtr shape_;
  std::size_t degree_;
  std::vector<LimbArithmetic> limbs_;
};

/// round(q m / t) for messages m in [0, t): m floor(q/t) + floor((m (q mod t) + floor(t/2))/t).
class MessageScale {
 public:
  MessageScale(const FermatBasis& basis, std::uint64_t t);
  /// out += round(q m / t).
  void add_to(const WideRing& ring, std::uint64_t* out, const std::uint64_t* message) const;

 private:
  std::uint64_t t_, rest_;               // q mod t
  std::vector<std::uint64_t> quotient_;  // floor(q/t) in all limbs
};

}  // namespace cyclotome::study::fermat
