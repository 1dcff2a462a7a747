// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/phase_norm.hpp"

#include <algorithm>

#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome::rlwe {

namespace {

using Digits = ZeroisingVector<std::uint64_t>;

/// Mixed-radix digits compare as integers do, from the last one down.
bool less(const Digits& a, const Digits& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

Digits digits_of(BigUnsigned value, const Basis& basis) {
  Digits digits;
  for (const auto q : basis.values()) {
    digits.push_back(value.mod(q));
    value = value.divided_by(q);
  }
  return digits;
}

/// x -> Q - x for x in (0, Q).
void negate(Digits& digits, const Basis& basis) {
  bool carry = true;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    digits[i] = basis[i] - 1 - digits[i] + (carry ? 1 : 0);
    carry = digits[i] == basis[i];
    if (carry) digits[i] = 0;
  }
}

BigUnsigned compose(const Digits& digits, const Basis& basis) {
  BigUnsigned value;
  for (std::size_t i = digits.size(); i-- > 0;) {
    value *= basis[i];
    value += digits[i];
  }
  return value;
}

}  // namespace

std::vector<BigUnsigned> largest_coefficients(const PolyArray& polynomials, std::uint64_t factor) {
  const RingPtr& ring = polynomials.ring();
  const Basis& basis = ring->basis();
  const std::size_t n = polynomials.degree(), k = basis.size();
  PolyArray mixed(polynomials.engine(), ring, polynomials.batch(), 1, Domain::coefficient, true);
  Engine& engine = *polynomials.engine();
  engine.multiply_scalars(mixed.view(), polynomials.view(),
                          per_limb(basis, [&](std::uint64_t q) { return factor % q; }));
  engine.mixed_radix(mixed.view(), mixed.view(), MixedRadix(ring));
  ZeroisingVector<std::uint64_t> all(mixed.size());
  mixed.to_host(all);
  const Digits half = digits_of(basis.product().shifted_right(1), basis);
  std::vector<BigUnsigned> result;
  Digits digits(k), largest(k);
  for (std::size_t b = 0; b < polynomials.batch(); ++b) {
    check_interrupt();
    std::ranges::fill(largest, 0);
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < k; ++i) digits[i] = all[(b * k + i) * n + c];
      if (less(half, digits)) negate(digits, basis);
      if (less(largest, digits)) largest = digits;
    }
    result.push_back(compose(largest, basis));
  }
  return result;
}

}  // namespace cyclotome::rlwe
