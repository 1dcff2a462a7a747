// SPDX-License-Identifier: Apache-2.0
// How BFV multiplies. Products by HPS over Q (specification 5.6), in the first primes of Q only where the noise allows:
// operands are switched down to them, and the product's noise-free part comes back up exactly, multiplied by the
// dropped primes. Products by BEHZ: specification 5.5.
#include "cyclotome/scheme/bfv/product_program.hpp"

#include <algorithm>

#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/rlwe/switching/level_switch_program.hpp"
#include "cyclotome/scheme/bfv/composites.hpp"

namespace cyclotome::bfv {

using program::Builder;
using program::Slice;

namespace {

/// x switched down to a level.
Slice switched_down(Builder& b, const Context& context, const Slice& x, rlwe::Level from, rlwe::Level level) {
  if (level.primes == x.ring->limbs()) return x;
  const Slice low = b.temporary_like(x, context.level_ring(level), x.parts);
  rlwe::lower(b, context, low, x, from);
  rlwe::clear_between(b, context, low, from.primes, level.primes);
  return low;
}

/// round(t product / p).
void round_product(Builder& b, const Slice& out, const Slice& product, const HpsProduct& step) {
  const RingPtr &kept = step.ciphertext_ring, &dropped = step.auxiliary_ring;
  program::divide_and_round(b, out, product.limbs(0, kept), product.limbs(kept->limbs(), dropped), step.scale);
}

/// The same at a level, which the result is raised from.
void round_and_raise(Builder& b, const Context& context, const Slice& out, const Slice& product, const HpsProduct& step,
                     rlwe::Level level) {
  const Slice low = rlwe::first_limbs(context, out, level);
  round_product(b, low, product, step);
  if (level.primes == out.ring->limbs()) return;
  rlwe::raise(b, context, out, low);
  rlwe::clear_between(b, context, out, level.primes, out.ring->limbs());
}

/// The product over q p of a level. Also of a square: its factors differ.
Slice multiplied_by_hps(Builder& b, const Context& context, const Slice& a, const Slice* second,
                        const ProductShape& shape) {
  const rlwe::Level of(a.ring->limbs());
  const HpsProduct& step = context.hps(shape.level, shape.plain);
  const Slice x = switched_down(b, context, a, std::min(shape.from_a, of), shape.level);
  const Slice y = second == nullptr ? x : switched_down(b, context, *second, std::min(shape.from_b, of), shape.level);
  const Slice lifted = b.temporary_like(x, step.product_ring, 2), exchanged = b.temporary_like(y, step.product_ring, 2);
  hps_lift(b, lifted, exchanged, x, y, step);
  const Slice product = b.temporary(step.product_ring, 3);
  program::multiply_ciphertexts(b, product, lifted, exchanged);
  return product;
}

Slice behz_lifted(Builder& b, const Slice& x, const BehzTables& tables) {
  const Slice out = b.temporary_like(x, tables.product_ring, x.parts);
  b.copy(out.limbs(0, x.ring), x);
  behz_lift(b, out.limbs(x.ring->limbs(), tables.auxiliary_ring), x, *tables.lift);
  return out;
}

void multiply_by_behz(Builder& b, const Slice& out, const Slice& a, const Slice* second, const BehzTables& tables,
                      rlwe::PlainIndex plain) {
  const Slice x = behz_lifted(b, a, tables), y = second == nullptr ? x : behz_lifted(b, *second, tables);
  const Slice product = b.temporary_like(out, tables.product_ring, 3);
  program::multiply_ciphertexts(b, product, x, y);
  behz_scale(b, out, product, *tables.scales.at(plain.number));
}

}  // namespace

program::ProgramPtr product_program(const Context& context, const ProductShape& shape) {
  const rlwe::Level of = std::min(shape.of, context.max_level());
  const RingPtr& q = context.level_ring(of);
  const auto items = [](bool one) { return one ? std::size_t{1} : program::each; };
  Builder b(shape.relinearized ? "bfv.multiply_relinearized" : "bfv.multiply");
  const Slice out = b.output(q, shape.relinearized ? 2 : 3, Domain::coefficient);
  const Slice a = b.input(q, 2, Domain::coefficient, items(shape.one_a));
  const Slice second = shape.square ? a : b.input(q, 2, Domain::coefficient, items(shape.one_b));
  const Slice* const factor = shape.square ? nullptr : &second;
  const bool behz = shape.method == ProductMethod::behz;
  const rlwe::Level level = behz ? of : shape.level;
  const Slice parts = shape.relinearized ? b.temporary(context.level_ring(level), 3) : out;
  if (behz) {
    multiply_by_behz(b, parts, a, factor, context.behz(), shape.plain);
  } else {
    const HpsProduct& step = context.hps(level, shape.plain);
    const Slice product = multiplied_by_hps(b, context, a, factor, shape);
    if (shape.relinearized) {
      round_product(b, parts, product, step);
    } else {
      round_and_raise(b, context, out, product, step, level);
    }
  }
  if (shape.relinearized) {
    rlwe::relinearize_at(b, context, out, parts, rlwe::key_input(b, context),
                         {shape.plain, of, level, std::min(shape.switched, of)});
  }
  return b.finish();
}

program::ProgramPtr lift_program(const Context& context, rlwe::PlainIndex plain, rlwe::Level of, rlwe::Level from,
                                 rlwe::Level level, Factor factor) {
  const HpsProduct& step = context.hps(level, plain);
  Builder b(factor == Factor::first ? "bfv.lift_first" : "bfv.lift_second");
  const Slice out = b.output(step.product_ring, 2, Domain::transform);
  const Slice x = switched_down(b, context, b.input(context.level_ring(of), 2, Domain::coefficient), from, level);
  const Slice low = out.limbs(0, step.ciphertext_ring);
  const Slice high = out.limbs(step.ciphertext_ring->limbs(), step.auxiliary_ring);
  if (factor == Factor::first) {
    b.copy(low, x);
    b.convert(high, x, step.extend);
  } else {
    b.convert(high, x, step.exchange);
    b.convert(low, high, step.restore);
  }
  b.forward(out);
  return b.finish();
}

program::ProgramPtr rounding_program(const Context& context, rlwe::PlainIndex plain, rlwe::Level of,
                                     rlwe::Level level) {
  const HpsProduct& step = context.hps(level, plain);
  Builder b("bfv.round_product");
  const Slice out = b.output(context.level_ring(of), 3, Domain::coefficient);
  const Slice sum = b.input(step.product_ring, 3, Domain::transform);
  const Slice product = b.temporary(step.product_ring, 3);
  b.copy(product, sum);
  b.inverse(product);
  round_and_raise(b, context, out, product, step, level);
  return b.finish();
}

}  // namespace cyclotome::bfv
