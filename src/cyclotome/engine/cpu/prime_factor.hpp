// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/prime_factor_tables.hpp"

namespace cyclotome::cpu {

/// a[0 ... n-1] in [0, q) -> transform over Phi_m in [0, q), in place, and back. Scratch is zeroised. Constant time.
template <LimbWord W>
void to_transform(W* a, const PrimeFactorTables<W>& tables);
template <LimbWord W>
void to_coefficients(W* a, const PrimeFactorTables<W>& tables);

}  // namespace cyclotome::cpu
