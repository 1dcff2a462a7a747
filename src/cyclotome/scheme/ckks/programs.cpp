// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/programs.hpp"

#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"

namespace cyclotome::ckks {

using program::Builder;
using program::Slice;

namespace {

/// out = x divided by the last prime of its level.
void rescale(Builder& b, const Context& context, const Slice& out, const Slice& x) {
  const Level level(x.ring->limbs());
  const DivideAndRound& step = context.rescaling(level);
  const Slice dropped = b.temporary_like(x, step.dropped, x.parts);
  b.copy(dropped, x.limbs(level.primes - 1, step.dropped));
  b.inverse(dropped);
  program::divide_and_round(b, out, x.limbs(0, step.kept), dropped, step);
}

RingPtr below(const Context& context, Level level) { return context.level_ring(Level(level.primes - 1)); }

}  // namespace

ExecutionPtr product(const Context& context, Level level, Factor second, bool one_a, bool one_b) {
  const bool square = second == Factor::same;
  const std::uint64_t flags = square * 1U + one_a * 2U + one_b * 4U;
  return context.execution({"ckks.multiply", {level.primes, flags}}, [&] {
    const RingPtr& ring = context.level_ring(level);
    Builder b("ckks.multiply");
    const Slice out = b.output(below(context, level), 2, Domain::transform);
    const auto factor = [&](bool one) { return b.input(ring, 2, Domain::transform, one ? 1 : program::each); };
    const Slice x = factor(one_a), y = square ? x : factor(one_b), key = rlwe::key_input(b, context);
    const Slice parts = b.temporary(ring, 3), whole = b.temporary(ring, 2);
    program::tensor_product(b, parts, x, y);
    rlwe::switch_key(b, whole, parts.part(2), key, context.key_switch(level, PlainIndex(0)), Domain::transform,
                     parts.part(0, 2));
    rescale(b, context, out, whole);
    return b.finish();
  });
}

ExecutionPtr rescaling(const Context& context, Level level) {
  return context.execution({"ckks.rescale", {level.primes}}, [&] {
    Builder b("ckks.rescale");
    const Slice out = b.output(below(context, level), 2, Domain::transform);
    rescale(b, context, out, b.input(context.level_ring(level), 2, Domain::transform));
    return b.finish();
  });
}

ExecutionPtr reduction(const Context& context, Level level) {
  return context.execution({"ckks.reduce", {level.primes}}, [&] {
    const RingPtr &q = context.level_ring(level), &plain = context.plain_ring(PlainIndex(0));
    Builder b("ckks.reduce");
    const Slice out = b.output(plain, 1, Domain::coefficient, true), peaks = b.output_numbers();
    const Slice phase = b.input(q, 1, Domain::coefficient, program::each, true);
    program::convert_with_peaks(b, out, peaks, phase, BaseConversion(q->basis(), plain->basis(), Lift::centred));
    return b.finish();
  });
}

}  // namespace cyclotome::ckks
