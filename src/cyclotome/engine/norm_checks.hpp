// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/tables/norm_constants.hpp"
#include "cyclotome/ring/view.hpp"

namespace cyclotome {

/// An engine that looks at norms where its polynomials are, since they would have a long way to this processor.
class NormChecks {
 public:
  virtual ~NormChecks() = default;

  /// numbers (one 64-bit number for each item of a, one after another: Engine::make_numbers) = 1 where |a(zeta)|^2 is
  /// within `limits` on the roots zeta of the ring's polynomial, else 0. a: one part, coefficient domain, integers of
  /// magnitude up to 2^16, of which the first limb tells all. constants: of a's ring. Says the same as a host would,
  /// and does not wait. Constant time.
  virtual void check_norms(View numbers, ConstView a, const NormConstants& constants, const NormLimits& limits) = 0;

 protected:
  NormChecks() = default;
};

}  // namespace cyclotome
