// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/prime_factor.hpp"
#include "cyclotome/ring/ring.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome::cpu {

/// Words for a transform to work with, wiped when they go.
template <LimbWord W>
class TransformScratch {
 public:
  explicit TransformScratch(const Transform& transform)
      : words_(transform.scratch_words + scratch_alignment / sizeof(W)) {}
  W* data() noexcept {
    void* start = words_.data();
    std::size_t bytes = words_.size() * sizeof(W);
    return static_cast<W*>(std::align(scratch_alignment, bytes - scratch_alignment, start, bytes));
  }

 private:
  ZeroisingVector<W> words_;
};

/// One limb of a ring, in place: coefficients -> transform, by whatever method the ring has.
template <LimbWord W>
void forward(const Kernels<W>& kernels, W* x, const Ring& ring, std::size_t limb) {
  if (ring.transform(limb).method == Transform::Method::negacyclic) {
    kernels.forward_transform(x, ring.tables<W>(limb));
  } else {
    const auto& tables = ring.transform_as<PrimeFactorTables<W>>(limb);
    to_transform(kernels.convolutions(tables.modulus.value()), x, tables, TransformScratch<W>(tables).data());
  }
}

/// And back, scaled.
template <LimbWord W>
void inverse(const Kernels<W>& kernels, W* x, const Ring& ring, std::size_t limb) {
  if (ring.transform(limb).method == Transform::Method::negacyclic) {
    kernels.inverse_transform(x, ring.tables<W>(limb));
  } else {
    const auto& tables = ring.transform_as<PrimeFactorTables<W>>(limb);
    to_coefficients(kernels.convolutions(tables.modulus.value()), x, tables, TransformScratch<W>(tables).data());
  }
}

}  // namespace cyclotome::cpu
