// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/prime_factor.hpp"
#include "cyclotome/ring/ring.hpp"

namespace cyclotome::cpu {

/// One limb of a ring, in place: coefficients -> transform, by whatever method the ring has.
template <LimbWord W>
void forward(const Kernels<W>& kernels, W* x, const Ring& ring, std::size_t limb) {
  if (ring.transform(limb).method == Transform::Method::negacyclic) {
    kernels.forward_transform(x, ring.tables<W>(limb));
  } else {
    to_transform(x, ring.transform_as<PrimeFactorTables<W>>(limb));
  }
}

/// And back, scaled.
template <LimbWord W>
void inverse(const Kernels<W>& kernels, W* x, const Ring& ring, std::size_t limb) {
  if (ring.transform(limb).method == Transform::Method::negacyclic) {
    kernels.inverse_transform(x, ring.tables<W>(limb));
  } else {
    to_coefficients(x, ring.transform_as<PrimeFactorTables<W>>(limb));
  }
}

}  // namespace cyclotome::cpu
