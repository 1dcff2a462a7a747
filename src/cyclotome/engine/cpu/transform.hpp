// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/halved_roots.hpp"
#include "cyclotome/ring/transform_tables.hpp"

namespace cyclotome::cpu {

/// a[0 ... n-1] in [0, q) -> transform in [0, q), in place. Merged negacyclic transform with Harvey's lazy butterflies:
/// values stay in [0, 4q) between stages (paper 001, Algorithm 1).
template <LimbWord W>
void forward_transform(W* a, const TransformTables<W>& tables) noexcept;

/// Transform in [0, q) -> coefficients in [0, q), in place; values stay in [0, 2q) between stages and the last stage
/// carries the factor 1/n (paper 001, Algorithm 2, errata 001-2 and 001-3).
template <LimbWord W>
void inverse_transform(W* a, const TransformTables<W>& tables) noexcept;

}  // namespace cyclotome::cpu
