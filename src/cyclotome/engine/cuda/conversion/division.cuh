// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/sum_division.cuh"
#include "cyclotome/engine/cuda/phi_m/matrix_operands.cuh"
#include "cyclotome/engine/cuda/steps/verb_steps.cuh"
#include "cyclotome/ring/conversion/divide_and_round.hpp"

namespace cyclotome::cuda {

/// Memory over `ring`, of so many parts, for the items of `like`.
template <class W>
View scratch_view(const StepContext& at, const Ring& ring, const View& like, std::size_t parts, Domain domain) {
  const std::size_t part = ring.limbs() * ring.degree();
  return {at.scratch.take(like.batch * parts * part * sizeof(W)), &ring, like.batch, parts, parts * part, part, domain};
}

/// out = factors kept + correction of dropped + addend, of which there may be none (its ring is null).
template <class W>
class Division {
 public:
  /// secret: of what is divided, whose coefficients then decide nothing.
  Division(DeviceConstants& constants, const DivideAndRound& step, bool secret)
      : kept_(step.kept),
        transform_(constants, *kept_),
        correction_(constants.conversion<W>(step.correction)),
        factors_(constants.make_factors<W>(kept_->basis(), step.factors)),
        secret_(secret) {
    if (transform_.matrices() != nullptr && step.dropped->limbs() == 1 && step.correction.lift() == Lift::centred) {
      lift_ = constants.make_extension<W>(step.correction);
    }
  }

  void operator()(const StepContext& at, const View& out, const View& kept, const View& dropped,
                  const View& addend) const {
    const auto added_parts = static_cast<std::uint32_t>(addend.ring == nullptr ? 0 : addend.parts);
    const auto added = added_parts == 0 ? DeviceView<W>{} : device_view<W>(addend, out.parts);
    const auto to = device_view<W>(out, out.parts), from = device_view<W>(kept, out.parts);
    if (out.domain == Domain::coefficient) {
      divide_and_round(at.queue, to, from, device_view<W>(dropped, out.parts), correction_.value, factors_.value, added,
                       added_parts, items_of(out));
      return;
    }
    if constexpr (sizeof(W) == 4) {
      if (transform_.matrices() != nullptr) {
        return by_matrices(at, out, dropped, {to, from, added, factors_.value, transform_.tables(), added_parts});
      }
    }
    const View correction = corrected(at, out, dropped);
    transform_.forward(at.queue, correction);
    launch<divide_transforms<W>>(at.queue, column_grid<W>(out), block_threads, 0, 1, "division", to, from,
                                 device_view<W>(correction, out.parts), factors_.value, added, added_parts,
                                 transform_.tables());
  }

  /// The same within the kernel that makes what is divided, if that may be; `arrived` is memory for its counts.
  bool fits_sums() const { return !secret_ && divides_limb_by_limb(correction_.value); }
  SumDivision<W> in_sums(const View& out, const View& addend, void* arrived, TicketedGrid grid) const {
    const auto parts = static_cast<std::uint32_t>(addend.ring == nullptr ? 0 : addend.parts);
    return {.out = device_view<W>(out, out.parts),
            .addend = parts == 0 ? DeviceView<W>{} : device_view<W>(addend, out.parts),
            .correction = correction_.value,
            .factors = factors_.value,
            .arrived = static_cast<std::uint32_t*>(arrived),
            .grid = grid,
            .special = correction_.value.sources,
            .addend_parts = parts};
  }

 private:
  /// Coefficients of what is added to `kept`.
  View corrected(const StepContext& at, const View& out, const View& dropped) const {
    const View correction = scratch_view<W>(at, *kept_, out, out.parts, Domain::coefficient);
    const auto to = device_view<W>(correction, out.parts), from = device_view<W>(dropped, out.parts);
    if (secret_) {
      convert(at.queue, to, from, correction_.value, items_of(out), {});
    } else {
      convert_public(at.queue, to, from, correction_.value, items_of(out));
    }
    return correction;
  }

  /// Divided as it is transformed.
  void by_matrices(const StepContext& at, const View& out, const View& dropped, const ToQuotients& to) const {
    const auto& ring = *transform_.matrices();
    const auto from = device_view<W>(lift_ ? dropped : corrected(at, out, dropped), out.parts);
    if (lift_) {
      divide_by_matrices(at.queue, to, FromLift(from, lift_->value, transform_.tables()), limbs_of(out), items_of(out),
                         ring);
    } else {
      divide_by_matrices(at.queue, to, from, limbs_of(out), items_of(out), ring);
    }
  }

  RingPtr kept_;
  RingTransform<W> transform_;
  Resident<ColumnConversion<W>> correction_;
  Resident<const ShoupFactor<W>*> factors_;
  bool secret_;
  std::optional<Resident<DeviceConversion<W>>> lift_;  ///< of one dropped prime, in the transform by matrices
};

}  // namespace cyclotome::cuda
