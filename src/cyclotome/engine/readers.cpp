// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/readers.hpp"

#include "cyclotome/program/rewriting.hpp"

namespace cyclotome {

using program::Builder;
using program::Composite;
using program::is_written_by;
using program::Op;
using program::Program;
using program::Slice;
using program::Verb;
using Slices = std::span<const Slice>;

namespace {

bool has_shape(const Composite& composite, std::string_view name, std::size_t outs, std::size_t ins) {
  return composite.name == name && composite.outs.size() == outs && composite.ins.size() == ins;
}

RingPtr ring_of(const program::Place& place) { return place.ring->shared_from_this(); }

/// The ring of what operation `index` of a composite writes.
RingPtr written_ring(const Program& program, const Composite& composite, std::size_t index) {
  return ring_of(program.ops()[composite.first + index].out);
}

}  // namespace

std::optional<HpsLift> read_hps_lift(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  if (!has_shape(composite, "hps_lift", 2, 2) || conversions.size() != 3) return {};
  const HpsLift lift{*conversions[0], *conversions[1], *conversions[2]};
  const RingPtr q = ring_of(composite.ins[0]), p = written_ring(program, composite, 1);
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    const Slice x = outs[0].limbs(0, q), exchanged = outs[1].limbs(q->limbs(), p);
    b.copy(x, ins[0]);
    b.convert(outs[0].limbs(q->limbs(), p), x, lift.extend);
    b.convert(exchanged, ins[1], lift.exchange);
    b.convert(outs[1].limbs(0, q), exchanged, lift.restore);
  });
  return same ? std::optional(lift) : std::nullopt;
}

std::optional<BehzExtension> read_behz_lift(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  if (!has_shape(composite, "behz_lift", 1, 1) || conversions.size() != 2) return {};
  const BehzExtension lift{*conversions[0], *conversions[1]};
  const RingPtr target = ring_of(composite.outs[0]), all = written_ring(program, composite, 0);
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    const Slice extended = b.temporary_like(ins[0], all, ins[0].parts);
    b.convert(extended, ins[0], lift.first);
    b.convert(outs[0], extended.limbs(target->limbs(), all->slice(target->limbs(), 1)), lift.correction);
    b.add(outs[0], outs[0], extended.limbs(0, target));
  });
  return same ? std::optional(lift) : std::nullopt;
}

std::optional<BehzDivision> read_behz_scale(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  const auto factors = program.factors(composite);
  if (!has_shape(composite, "behz_scale", 1, 1) || conversions.size() != 3 || factors.size() != 1) return {};
  const BehzDivision scale{*conversions[0], *factors[0], *conversions[1], *conversions[2]};
  const RingPtr q = ring_of(composite.outs[0]), auxiliary = written_ring(program, composite, 0);
  const RingPtr restored_ring = written_ring(program, composite, 3);
  const std::size_t base = auxiliary->limbs() - 1;
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    const Slice &out = outs[0], &a = ins[0], floor = b.temporary_like(a, auxiliary, a.parts),
                term = b.temporary_like(a, auxiliary, a.parts);
    b.convert(term, a.limbs(0, q), scale.floor_term);
    b.multiply_scalars(floor, a.limbs(q->limbs(), auxiliary), scale.floor_factors);
    b.add(floor, floor, term);
    const Slice restored = b.temporary_like(a, restored_ring, a.parts);
    b.convert(restored, floor.limbs(0, auxiliary->slice(0, base)), scale.restore);
    const Slice wraps = restored.limbs(q->limbs(), restored_ring->slice(q->limbs(), 1));
    b.subtract(wraps, wraps, floor.limbs(base, auxiliary->slice(base, 1)));
    b.convert(out, wraps, scale.excess);
    b.add(out, out, restored.limbs(0, q));
  });
  return same ? std::optional(scale) : std::nullopt;
}

std::optional<PlainRounding> read_scale_to_plain(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  if (!has_shape(composite, "scale_to_plain", 2, 1) || conversions.size() != 2) return {};
  const PlainRounding rounding{*conversions[0], *conversions[1]};
  const RingPtr plain = ring_of(composite.outs[0]), extended = written_ring(program, composite, 0);
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    const Slice scaled = b.temporary_like(ins[0], extended, ins[0].parts);
    b.convert(scaled, ins[0], rounding.scale);
    const Slice modulo_gamma = scaled.limbs(1, extended->slice(1, 1));
    b.peaks(outs[1], modulo_gamma, rounding.correction);
    b.convert(outs[0], modulo_gamma, rounding.correction);
    b.add(outs[0], outs[0], scaled.limbs(0, plain));
  });
  return same ? std::optional(rounding) : std::nullopt;
}

}  // namespace cyclotome
