// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/program/lifts.hpp"

#include "cyclotome/program/rewriting.hpp"

namespace cyclotome::program {

namespace {

using Slices = std::span<const Slice>;

bool has_shape(const Composite& composite, std::string_view name, std::size_t outs, std::size_t ins) {
  return composite.name == name && composite.outs.size() == outs && composite.ins.size() == ins;
}

/// The ring of what operation `index` of a composite writes.
RingPtr written_ring(const Program& program, const Composite& composite, std::size_t index) {
  return program.ops()[composite.first + index].out.ring->shared_from_this();
}

/// The last limb of a ring.
RingPtr last(const RingPtr& ring) { return ring->slice(ring->limbs() - 1, 1); }

}  // namespace

void hps_lift(Builder& b, const Slice& first, const Slice& second, const Slice& x, const Slice& y,
              const HpsLift& lift) {
  b.composite("hps_lift", {first, second}, {x, y}, {}, [&] {
    const std::size_t limbs = x.ring->limbs();
    const Slice q = first.limbs(0, x.ring), exchanged = second.limbs(limbs, lift.auxiliary);
    b.copy(q, x);
    b.convert(first.limbs(limbs, lift.auxiliary), q, lift.extend);
    b.convert(exchanged, y, lift.exchange);
    b.convert(second.limbs(0, x.ring), exchanged, lift.restore);
  });
}

std::optional<HpsLift> read_hps_lift(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  if (!has_shape(composite, "hps_lift", 2, 2) || conversions.size() != 3) return {};
  const HpsLift lift{written_ring(program, composite, 1), *conversions[0], *conversions[1], *conversions[2]};
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    hps_lift(b, outs[0], outs[1], ins[0], ins[1], lift);
  });
  return same ? std::optional(lift) : std::nullopt;
}

void behz_lift(Builder& b, const Slice& out, const Slice& x, const BehzExtension& lift) {
  b.composite("behz_lift", {out}, {x}, {}, [&] {
    const Slice extended = b.temporary_like(x, lift.extended, x.parts);
    b.convert(extended, x, lift.first);
    b.convert(out, extended.limbs(out.ring->limbs(), last(lift.extended)), lift.correction);
    b.add(out, out, extended.limbs(0, out.ring));
  });
}

std::optional<BehzExtension> read_behz_lift(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  if (!has_shape(composite, "behz_lift", 1, 1) || conversions.size() != 2) return {};
  const BehzExtension lift{written_ring(program, composite, 0), *conversions[0], *conversions[1]};
  const bool same = is_written_by(program, composite,
                                  [&](Builder& b, Slices outs, Slices ins) { behz_lift(b, outs[0], ins[0], lift); });
  return same ? std::optional(lift) : std::nullopt;
}

void behz_scale(Builder& b, const Slice& out, const Slice& a, const BehzDivision& division) {
  b.composite("behz_scale", {out}, {a}, {}, [&] {
    const RingPtr &q = out.ring, &auxiliary = division.auxiliary;
    const std::size_t base = auxiliary->limbs() - 1;
    // S3: f over B_sk.
    const Slice floor = b.temporary_like(a, auxiliary, a.parts), term = b.temporary_like(a, auxiliary, a.parts);
    b.convert(term, a.limbs(0, q), division.floor_term);
    b.multiply_scalars(floor, a.limbs(q->limbs(), auxiliary), division.floor_factors);
    b.add(floor, floor, term);
    // S4: B to q and m_sk; the difference modulo m_sk tells how often B was wrapped.
    const Slice restored = b.temporary_like(a, division.restored, a.parts);
    b.convert(restored, floor.limbs(0, auxiliary->slice(0, base)), division.restore);
    const Slice wraps = restored.limbs(q->limbs(), last(division.restored));
    b.subtract(wraps, wraps, floor.limbs(base, last(auxiliary)));
    b.convert(out, wraps, division.excess);
    b.add(out, out, restored.limbs(0, q));
  });
}

std::optional<BehzDivision> read_behz_scale(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  const auto factors = program.factors(composite);
  if (!has_shape(composite, "behz_scale", 1, 1) || conversions.size() != 3 || factors.size() != 1) return {};
  const BehzDivision division{written_ring(program, composite, 0),
                              written_ring(program, composite, 3),
                              *conversions[0],
                              *factors[0],
                              *conversions[1],
                              *conversions[2]};
  const bool same = is_written_by(
      program, composite, [&](Builder& b, Slices outs, Slices ins) { behz_scale(b, outs[0], ins[0], division); });
  return same ? std::optional(division) : std::nullopt;
}

void scale_to_plain(Builder& b, const Slice& out, const Slice& numbers, const Slice& a, const PlainRounding& rounding) {
  b.composite("scale_to_plain", {out, numbers}, {a}, {}, [&] {
    const Slice scaled = b.temporary_like(a, rounding.extended, a.parts),
                gamma = scaled.limbs(1, last(rounding.extended));
    b.convert(scaled, a, rounding.scale);
    b.peaks(numbers, gamma, rounding.correction);
    b.convert(out, gamma, rounding.correction);
    b.add(out, out, scaled.limbs(0, out.ring));
  });
}

std::optional<PlainRounding> read_scale_to_plain(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  if (!has_shape(composite, "scale_to_plain", 2, 1) || conversions.size() != 2) return {};
  const PlainRounding rounding{written_ring(program, composite, 0), *conversions[0], *conversions[1]};
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    scale_to_plain(b, outs[0], outs[1], ins[0], rounding);
  });
  return same ? std::optional(rounding) : std::nullopt;
}

}  // namespace cyclotome::program
