// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/products/limb_products.hpp"

namespace cyclotome::study::fermat {

/// P, a product of word primes coprime to q: hybrid key switching computes modulo q P and divides by P with rounding,
/// which leaves 1/P of the noise (specification 5.7, with wide limbs for q). Immutable.
class SpecialModulus {
 public:
  /// primes: pairwise different, with transforms of the ring; at least one. Throws ParameterError for one that divides
  /// q.
  SpecialModulus(EnginePtr engine, const WideRing& ring, const std::vector<std::uint64_t>& primes);

  /// Z_P[x]/(x^n + 1).
  const RingPtr& ring() const noexcept { return special_; }
  /// P^-1 modulo each limb's modulus, below q_i P: what `LimbProducts` fold into the way back.
  const std::vector<BigUnsigned>& inverses() const noexcept { return inverses_; }
  /// One limb's rows times P.
  void multiply(const LimbArithmetic& limb, std::uint64_t* rows, std::size_t degree) const;
  /// Transforms modulo P of one limb's rows, taken for integers, in the engine's memory.
  PolyArray forward(const std::uint64_t* rows, std::size_t limb) const;
  /// The same of one word a coefficient: a digit.
  PolyArray forward_digit(const std::uint64_t* row) const;
  /// rows, in the engine's memory, = round(X/P) modulo q of an X given as rows = X/P modulo q (`inverses` are in it)
  /// and `rest` = X modulo P, which is used up: X/P less [X]_P/P, [X]_P centred. The rounding is at most 1/2 + 2^-50.
  void divide(const WideRing& ring, std::uint64_t* rows, PolyArray& rest) const;

 private:
  EnginePtr engine_;
  WideEnginePtr wide_;
  RingPtr special_;
  std::vector<BigUnsigned> inverses_;
  std::vector<std::uint64_t> punctured_inverses_;
  std::vector<WideStep> from_limbs_;
  WideStep from_word_;
  std::vector<ToLimbStep> to_limbs_;
  WrapStep wraps_;
};

}  // namespace cyclotome::study::fermat
