// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/ring.hpp"

namespace cyclotome {

/// A modulus t modulo which a division keeps what it divides; 1 for none. A type of its own because the numerator, or a
/// number of primes, stands beside it.
struct PreservedModulus {
  std::uint64_t value;

  explicit constexpr PreservedModulus(std::uint64_t t) noexcept : value(t) {}
};

/// Division of residues over q P by P with rounding: out = round(f a / P) = (f a - [f a]_P centred) P^-1, f the
/// numerator.
///
/// With a preserved modulus t > 1 (BGV; f = 1) the division keeps a P^-1 modulo t (specification 5.8): what is divided
/// off is delta = t [t^-1 a]_P centred, which is a modulo P, 0 modulo t, and in [-tP/2, tP/2): the error delta/P has
/// mean 0 for every t, 2 included (erratum 002-1).
class DivideAndRound {
 public:
  /// Throws ParameterError if q, P and the preserved modulus are not coprime.
  DivideAndRound(const RingPtr& q, const RingPtr& p, PreservedModulus preserved = PreservedModulus(1),
                 std::uint64_t numerator = 1);

  /// From constants that are there: what an engine reads out of a program.
  DivideAndRound(RingPtr q, RingPtr p, BaseConversion conversion, std::vector<std::uint64_t> scalars)
      : kept(std::move(q)), dropped(std::move(p)), correction(std::move(conversion)), factors(std::move(scalars)) {}

  RingPtr kept, dropped;
  BaseConversion correction;           ///< P -> q, centred, times f t^-1 before and -t P^-1 after
  std::vector<std::uint64_t> factors;  ///< f P^-1 mod q_i
};

}  // namespace cyclotome
