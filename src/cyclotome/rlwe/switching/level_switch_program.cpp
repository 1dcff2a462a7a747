// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/switching/level_switch_program.hpp"

#include "cyclotome/program/composites.hpp"

namespace cyclotome::rlwe {

using program::Builder;
using program::Slice;

Slice first_limbs(const Context& context, const Slice& x, Level level) {
  return x.ring->limbs() == level.primes ? x : x.limbs(0, context.level_ring(level));
}

void clear_between(Builder& b, const Context& context, const Slice& x, std::size_t first, std::size_t last) {
  if (first >= last) return;
  const RingPtr& ring = context.level_ring(Level(last));
  b.clear(first == 0 && x.ring->limbs() == last ? x : x.limbs(first, ring->slice(first, last - first)),
          Domain::coefficient);
}

void lower(Builder& b, const Context& context, const Slice& out, const Slice& x, Level from) {
  const Level level(x.ring->limbs()), to(out.ring->limbs());
  const LevelSwitch& step = context.level_switch(level, from, to);
  if (step.drop) {
    const DivideAndRound& drop = *step.drop;
    program::divide_and_round(b, out, x.limbs(0, drop.kept), x.limbs(to.primes, drop.dropped), drop);
  } else {
    b.multiply_scalars(first_limbs(context, out, from), first_limbs(context, x, from), step.exact);
  }
}

void raise(Builder& b, const Context& context, const Slice& out, const Slice& x) {
  const Level level(out.ring->limbs()), from(x.ring->limbs());
  b.multiply_scalars(first_limbs(context, out, from), x, context.level_switch(level, level, from).raise);
}

ExecutionPtr lowering(const Context& context, Level level, Level from, Level to, std::size_t parts) {
  return context.execution({"lower", {level.primes, from.primes, to.primes, parts}}, [&] {
    Builder b("lower");
    const Slice out = b.output(context.level_ring(to), parts, Domain::coefficient);
    lower(b, context, out, b.input(context.level_ring(level), parts, Domain::coefficient), from);
    clear_between(b, context, out, from.primes, to.primes);
    return b.finish();
  });
}

ExecutionPtr raising(const Context& context, Level from, Level to, std::size_t parts) {
  return context.execution({"raise", {from.primes, to.primes, parts}}, [&] {
    Builder b("raise");
    const Slice out = b.output(context.level_ring(to), parts, Domain::coefficient);
    raise(b, context, out, b.input(context.level_ring(from), parts, Domain::coefficient));
    clear_between(b, context, out, from.primes, to.primes);
    return b.finish();
  });
}

}  // namespace cyclotome::rlwe
