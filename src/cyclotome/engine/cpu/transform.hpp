// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/tables/halved_roots.hpp"
#include "cyclotome/ring/tables/transform_tables.hpp"

namespace cyclotome::cpu {

/// a[0 ... n-1] in [0, q) -> transform in [0, q), in place. Merged negacyclic transform with Harvey's lazy butterflies:
/// values stay in [0, 4q) between stages (paper 001, Algorithm 1).
template <LimbWord W>
void forward_transform(W* a, const TransformTables<W>& tables) noexcept;

/// Factors of an inverse transform's last stage, of sums and of differences: 1/n, and whatever else all coefficients
/// shall be multiplied by.
template <LimbWord W>
struct InverseEnding {
  ShoupFactor<W> sum, difference;

  explicit InverseEnding(const TransformTables<W>& tables) noexcept
      : sum(tables.inverse_degree), difference(tables.last_inverse_root) {}
  /// factor: below q.
  InverseEnding(const TransformTables<W>& tables, W factor) noexcept
      : sum(tables.modulus.multiply(tables.inverse_degree.operand, factor), tables.modulus.value()),
        difference(tables.modulus.multiply(tables.last_inverse_root.operand, factor), tables.modulus.value()) {}
};

/// Transform in [0, q) -> coefficients in [0, q), in place; values stay in [0, 2q) between stages and the last stage
/// carries the factor 1/n (paper 001, Algorithm 2, errata 001-2 and 001-3).
template <LimbWord W>
void inverse_transform(W* a, const TransformTables<W>& tables, const InverseEnding<W>& ending) noexcept;

}  // namespace cyclotome::cpu
