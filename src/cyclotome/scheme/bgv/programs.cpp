// SPDX-License-Identifier: Apache-2.0
// What BGV's ciphertexts go through (specification 5.8), as programs.
#include "cyclotome/scheme/bgv/programs.hpp"

#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/keys/encryption_program.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"

namespace cyclotome::bgv {

using program::Builder;
using program::Slice;

namespace {

/// out = x divided by the product of its last primes, until as many as out has are left: one rounding for all of them.
void drop_primes(Builder& b, const Context& context, rlwe::PlainIndex plain, const Slice& out, const Slice& x) {
  const std::size_t limbs = x.ring->limbs(), left = out.ring->limbs();
  const DivideAndRound& step = context.modulus_switch(rlwe::Level(limbs), rlwe::Level(left), plain);
  const Slice dropped = b.temporary_like(x, step.dropped, x.parts);
  b.copy(dropped, x.limbs(left, step.dropped));
  b.inverse(dropped);
  program::divide_and_round(b, out, x.limbs(0, step.kept), dropped, step);
}

/// x at a level: itself if it is there.
Slice at_level(Builder& b, const Context& context, rlwe::PlainIndex plain, const Slice& x, rlwe::Level level) {
  if (x.ring->limbs() == level.primes) return x;
  const Slice low = b.temporary_like(x, context.level_ring(level), x.parts);
  drop_primes(b, context, plain, low, x);
  return low;
}

program::ProgramPtr product_program(const Context& context, const ProductShape& shape) {
  const RingPtr& ring = context.level_ring(shape.level);
  Builder b(shape.relinearized ? "bgv.multiply_relinearized" : "bgv.multiply");
  const Slice out = b.output(ring, shape.relinearized ? 2 : 3, Domain::transform);
  const auto factor = [&](rlwe::Level level, bool one) {
    const Slice whole = b.input(context.level_ring(level), 2, Domain::transform, one ? 1 : program::each);
    return at_level(b, context, shape.plain, whole, shape.level);
  };
  const Slice x = factor(shape.level_a, shape.one_a), y = shape.square ? x : factor(shape.level_b, shape.one_b);
  const Slice parts = shape.relinearized ? b.temporary(ring, 3) : out;
  program::tensor_product(b, parts, x, y);
  if (shape.relinearized) {
    rlwe::switch_key(b, out, parts.part(2), rlwe::key_input(b, context), context.key_switch(shape.level, shape.plain),
                     Domain::transform, parts.part(0, 2));
  }
  return b.finish();
}

/// out = factor times the centred phase, modulo t.
void reduce(Builder& b, const Context& context, const Slice& out, const Slice& peaks, const Slice& phase,
            rlwe::PlainIndex plain, std::uint64_t factor) {
  const auto conversion = context.message_reduction(rlwe::Level(phase.ring->limbs()), plain, factor);
  program::convert_with_peaks(b, out, peaks, phase, *conversion);
}

}  // namespace

ExecutionPtr product(const Context& context, const ProductShape& shape) {
  const std::uint64_t flags = shape.square * 1U + shape.one_a * 2U + shape.one_b * 4U + shape.relinearized * 8U;
  const rlwe::ProgramKey key{
      "bgv.multiply", {shape.plain.number, shape.level.primes, shape.level_a.primes, shape.level_b.primes, flags}};
  return context.execution(key, [&] { return product_program(context, shape); });
}

ExecutionPtr level_switch(const Context& context, rlwe::PlainIndex plain, std::size_t parts, rlwe::Level from,
                          rlwe::Level to) {
  return context.execution({"bgv.switch_modulus", {plain.number, parts, from.primes, to.primes}}, [&] {
    Builder b("bgv.switch_modulus");
    const Slice out = b.output(context.level_ring(to), parts, Domain::transform);
    drop_primes(b, context, plain, out, b.input(context.level_ring(from), parts, Domain::transform));
    return b.finish();
  });
}

ExecutionPtr relinearization_to_level(const Context& context, rlwe::PlainIndex plain, rlwe::Level from,
                                      rlwe::Level to) {
  return context.execution({"bgv.relinearize_to_level", {plain.number, from.primes, to.primes}}, [&] {
    Builder b("bgv.relinearize_to_level");
    const Slice out = b.output(context.level_ring(to), 2, Domain::transform);
    const Slice c = b.input(context.level_ring(from), 3, Domain::transform), key = rlwe::key_input(b, context);
    const program::SwitchAndDrop constants{context.key_switch(from, plain).constants(),
                                           context.joint_switch(from, to, plain)};
    program::key_switch_and_drop(b, out, c.part(2), key, constants, c.part(0, 2));
    return b.finish();
  });
}

ExecutionPtr decryption(const Context& context, rlwe::PlainIndex plain, rlwe::Level level, std::size_t parts,
                        std::uint64_t factor) {
  return context.execution({"bgv.decrypt", {plain.number, level.primes, parts, factor}}, [&] {
    const RingPtr& q = context.level_ring(level);
    Builder b("bgv.decrypt");
    const Slice out = b.output(context.plain_ring(plain), 1, Domain::coefficient, true), peaks = b.output_numbers();
    const Slice c = b.input(q, parts, Domain::transform), s = b.input(q, 1, Domain::transform, 1, true);
    const Slice phase = b.temporary(q, 1);
    rlwe::write_phase(b, phase, c, s);
    reduce(b, context, out, peaks, phase, plain, factor);
    return b.finish();
  });
}

ExecutionPtr reduction(const Context& context, rlwe::PlainIndex plain, rlwe::Level level, std::uint64_t factor) {
  return context.execution({"bgv.reduce", {plain.number, level.primes, factor}}, [&] {
    Builder b("bgv.reduce");
    const Slice out = b.output(context.plain_ring(plain), 1, Domain::coefficient, true), peaks = b.output_numbers();
    const Slice phase = b.input(context.level_ring(level), 1, Domain::coefficient, program::each, true);
    reduce(b, context, out, peaks, phase, plain, factor);
    return b.finish();
  });
}

}  // namespace cyclotome::bgv
