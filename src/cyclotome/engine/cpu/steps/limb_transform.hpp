// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/steps/convert.hpp"
#include "cyclotome/engine/cpu/steps/prime_factor.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/ring/ring.hpp"

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

/// forward(out) of target limb j of a conversion, as convert_limb takes it; `limb`: of the ring.
template <LimbWord W>
void convert_and_transform(const Kernels<W>& kernels, W* out, const Ring& ring, std::size_t limb, std::size_t j,
                           Tile<const W> in, Tile<const W> y, const W* wraps, const BaseConversion& conversion) {
  const std::size_t n = ring.degree();
  const bool moves = kernels.forward_moved != nullptr && n >= smallest_moved &&
                     ring.transform(limb).method == Transform::Method::negacyclic;
  if (const auto move = moves ? move_of<W>(j, conversion) : std::nullopt) {
    const W* const from = (move->prepared ? y : in).limb(move->limb);
    kernels.forward_moved(out, from, static_cast<W>(move->from), ring.tables<W>(limb));
    return;
  }
  convert_limb(kernels, out, j, in, y, wraps, n, conversion);
  forward(kernels, out, ring, limb);
}

/// And back, scaled.
template <LimbWord W>
void inverse(const Kernels<W>& kernels, W* x, const Ring& ring, std::size_t limb) {
  if (ring.transform(limb).method == Transform::Method::negacyclic) {
    const TransformTables<W>& tables = ring.tables<W>(limb);
    kernels.inverse_transform(x, tables, InverseEnding<W>(tables));
  } else {
    const auto& tables = ring.transform_as<PrimeFactorTables<W>>(limb);
    to_coefficients(kernels.convolutions(tables.modulus.value()), x, tables, TransformScratch<W>(tables).data());
  }
}

/// The same, times `factor`, which is below the limb's prime: in the last stage where there is one.
template <LimbWord W>
void inverse_times(const Kernels<W>& kernels, W* x, const Ring& ring, std::size_t limb, const ShoupFactor<W>& factor) {
  if (ring.transform(limb).method == Transform::Method::negacyclic) {
    const TransformTables<W>& tables = ring.tables<W>(limb);
    kernels.inverse_transform(x, tables, InverseEnding<W>(tables, factor.operand));
  } else {
    inverse(kernels, x, ring, limb);
    kernels.scale(x, x, factor, ring.degree(), ring.basis().moduli<W>()[limb].value());
  }
}

/// An automorphism of transforms: value k of the result is value sources[k] of a limb.
class SlotTurn {
 public:
  /// sources: those of GaloisGroup::slots.
  explicit SlotTurn(std::vector<std::uint32_t> sources) : sources_(std::move(sources)), runs_(moves_runs(sources_)) {}

  /// out[k] = limb[sources[first + k]], k < count; first and count are multiples of `permuted_run` or reach to the end.
  template <LimbWord W>
  void apply(const Kernels<W>& kernels, W* out, const W* limb, std::size_t first, std::size_t count) const noexcept {
    (runs_ ? kernels : scalar_kernels<W>()).permute(out, limb, sources_.data() + first, count);
  }

 private:
  std::vector<std::uint32_t> sources_;
  bool runs_;  // whether registers can move them
};

/// The same of coefficients, which change their signs as well.
class CoefficientTurn {
 public:
  /// sources: those of GaloisGroup::coefficients.
  explicit CoefficientTurn(std::vector<GaloisGroup::Signed> sources) : sources_(std::move(sources)) {}

  template <LimbWord W>
  void apply(W* out, const W* limb, std::size_t first, std::size_t count, const Modulus<W>& modulus) const noexcept {
    const Modulus<W> q = modulus;
    for (std::size_t k = 0; k < count; ++k) {
      const GaloisGroup::Signed source = sources_[first + k];
      const W value = limb[source.from()];
      out[k] = source.negative() ? q.negate(value) : value;
    }
  }

 private:
  std::vector<GaloisGroup::Signed> sources_;
};

/// An automorphism of digits, which are transforms, and of what their products are added to.
struct Turn {
  SlotTurn slots;
  CoefficientTurn coefficients;
};

}  // namespace cyclotome::cpu
