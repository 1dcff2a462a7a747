// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/composites.hpp"

namespace cyclotome::bfv {

using program::Builder;
using program::Slice;

void hps_lift(Builder& b, const Slice& first, const Slice& second, const Slice& x, const Slice& y,
              const HpsProduct& step) {
  b.composite("hps_lift", {first, second}, {x, y}, {}, [&] {
    const std::size_t limbs = step.ciphertext_ring->limbs();
    const Slice q = first.limbs(0, step.ciphertext_ring), exchanged = second.limbs(limbs, step.auxiliary_ring);
    b.copy(q, x);
    b.convert(first.limbs(limbs, step.auxiliary_ring), q, step.extend);
    b.convert(exchanged, y, step.exchange);
    b.convert(second.limbs(0, step.ciphertext_ring), exchanged, step.restore);
  });
}

void behz_lift(Builder& b, const Slice& out, const Slice& x, const BehzLift& step) {
  b.composite("behz_lift", {out}, {x}, {}, [&] {
    const Slice extended = b.temporary_like(x, step.extended, x.parts);
    b.convert(extended, x, step.first);
    b.convert(out, extended.limbs(step.target->limbs(), step.correction_ring), step.correction);
    b.add(out, out, extended.limbs(0, step.target));
  });
}

void behz_scale(Builder& b, const Slice& out, const Slice& a, const BehzScale& step) {
  b.composite("behz_scale", {out}, {a}, {}, [&] {
    // S3: f over B_sk.
    const Slice floor = b.temporary_like(a, step.auxiliary, a.parts),
                term = b.temporary_like(a, step.auxiliary, a.parts);
    b.convert(term, a.limbs(0, step.source), step.floor_term);
    b.multiply_scalars(floor, a.limbs(step.source->limbs(), step.auxiliary), step.floor_factors);
    b.add(floor, floor, term);
    // S4: B to q and m_sk; the difference modulo m_sk tells how often B was wrapped.
    const Slice restored = b.temporary_like(a, step.restored, a.parts);
    b.convert(restored, floor.limbs(0, step.base), step.restore);
    const Slice wraps = restored.limbs(step.source->limbs(), step.redundant);
    b.subtract(wraps, wraps, floor.limbs(step.base->limbs(), step.redundant));
    b.convert(out, wraps, step.excess);
    b.add(out, out, restored.limbs(0, step.source));
  });
}

void scale_to_plain(Builder& b, const Slice& out, const Slice& numbers, const Slice& a, const PlainScale& step) {
  b.composite("scale_to_plain", {out, numbers}, {a}, {}, [&] {
    const Slice scaled = b.temporary_like(a, step.extended, a.parts), gamma = scaled.limbs(1, step.gamma_ring);
    b.convert(scaled, a, step.scale);
    b.peaks(numbers, gamma, step.correction);
    b.convert(out, gamma, step.correction);
    b.add(out, out, scaled.limbs(0, step.plain));
  });
}

}  // namespace cyclotome::bfv
