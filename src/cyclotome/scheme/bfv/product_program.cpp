// SPDX-License-Identifier: Apache-2.0
// How BFV multiplies. Products by HPS over Q (specification 5.6), in the first primes of Q only where the noise allows:
// operands are switched down to them, and the product's noise-free part comes back up exactly, multiplied by the
// dropped primes. Products by BEHZ: specification 5.5.
#include "cyclotome/scheme/bfv/product_program.hpp"

#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/key_switch_program.hpp"
#include "cyclotome/scheme/bfv/composites.hpp"

namespace cyclotome::bfv {

using program::Builder;
using program::Slice;

namespace {

/// x switched down to the primes that the tables are for.
Slice switched_down(Builder& b, const Slice& x, const HpsTables& tables) {
  if (tables.drop == nullptr) return x;
  const DivideAndRound& drop = *tables.drop;
  const Slice low = b.temporary_like(x, drop.kept, x.parts);
  program::divide_and_round(b, low, x.limbs(0, drop.kept), x.limbs(drop.kept->limbs(), drop.dropped), drop);
  return low;
}

/// The limbs of a slice over Q from one to another (exclusive).
Slice limbs_between(const Slice& x, const RingPtr& q, std::size_t first, std::size_t last) {
  return last - first == q->limbs() ? x : x.limbs(first, q->slice(first, last - first));
}

void clear_between(Builder& b, const Slice& x, const RingPtr& q, std::size_t first, std::size_t last) {
  if (first < last) b.clear(limbs_between(x, q, first, last), Domain::coefficient);
}

/// round(t product / p), raised again by the primes that were dropped. The limbs of those are left as they are, for
/// they are zero.
void round_product(Builder& b, const Slice& out, const Slice& product, const HpsTables& tables) {
  const HpsProduct& step = tables.product;
  const RingPtr &kept = step.ciphertext_ring, &dropped = step.auxiliary_ring;
  const Slice low = out.limbs(0, kept);
  program::divide_and_round(b, low, product.limbs(0, kept), product.limbs(kept->limbs(), dropped), step.scale);
  if (tables.drop != nullptr) b.multiply_scalars(low, low, tables.raise_factors);
}

/// Also of a square: its factors differ.
void multiply_by_hps(Builder& b, const Slice& out, const Slice& a, const Slice* second, const HpsTables& tables) {
  const HpsProduct& step = tables.product;
  const Slice x = switched_down(b, a, tables), y = second == nullptr ? x : switched_down(b, *second, tables);
  const Slice lifted = b.temporary_like(x, step.product_ring, 2), exchanged = b.temporary_like(y, step.product_ring, 2);
  hps_lift(b, lifted, exchanged, x, y, step);
  const Slice product = b.temporary_like(out, step.product_ring, 3);
  program::multiply_ciphertexts(b, product, lifted, exchanged);
  round_product(b, out, product, tables);
}

/// out = the relinearised product, whose limbs from `present` on are zero and not written: digits of zeros are left
/// out.
void relinearize(Builder& b, const Slice& out, const Slice& product, const Slice& key,
                 const rlwe::KeySwitch& key_switch, std::size_t present) {
  const RingPtr& q = key_switch.constants().ciphertext_ring;
  const std::size_t read = key_switch.constants().whole_digits(present);
  const Slice addend = product.part(0, 2), c = limbs_between(product.part(2), q, 0, read);
  clear_between(b, product, q, present, read);
  clear_between(b, addend, q, read, q->limbs());
  rlwe::switch_key(b, out, c, key, key_switch, Domain::coefficient, addend);
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
  const RingPtr& q = context.ciphertext_ring();
  const auto items = [](bool one) { return one ? std::size_t{1} : program::each; };
  Builder b(shape.relinearized ? "bfv.multiply_relinearized" : "bfv.multiply");
  const Slice out = b.output(q, shape.relinearized ? 2 : 3, Domain::coefficient);
  const Slice a = b.input(q, 2, Domain::coefficient, items(shape.one_a));
  const Slice second = shape.square ? a : b.input(q, 2, Domain::coefficient, items(shape.one_b));
  const Slice* const factor = shape.square ? nullptr : &second;
  const Slice parts = shape.relinearized ? b.temporary(q, 3) : out;
  std::size_t present = q->limbs();
  if (shape.method == ProductMethod::behz) {
    multiply_by_behz(b, parts, a, factor, context.behz(), shape.plain);
  } else {
    multiply_by_hps(b, parts, a, factor, context.hps(shape.level, shape.plain));
    present = shape.level.primes;
  }
  if (shape.relinearized) {
    relinearize(b, out, parts, rlwe::key_input(b, context), context.key_switch(context.max_level(), shape.plain),
                present);
  } else {
    clear_between(b, out, q, present, q->limbs());
  }
  return b.finish();
}

program::ProgramPtr lift_program(const Context& context, rlwe::PlainIndex plain, rlwe::Level level, Factor factor) {
  const HpsTables& tables = context.hps(level, plain);
  const HpsProduct& step = tables.product;
  Builder b(factor == Factor::first ? "bfv.lift_first" : "bfv.lift_second");
  const Slice out = b.output(step.product_ring, 2, Domain::transform);
  const Slice x = switched_down(b, b.input(context.ciphertext_ring(), 2, Domain::coefficient), tables);
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

program::ProgramPtr rounding_program(const Context& context, rlwe::PlainIndex plain, rlwe::Level level) {
  const HpsTables& tables = context.hps(level, plain);
  const RingPtr& q = context.ciphertext_ring();
  Builder b("bfv.round_product");
  const Slice out = b.output(q, 3, Domain::coefficient);
  const Slice sum = b.input(tables.product.product_ring, 3, Domain::transform);
  const Slice product = b.temporary(tables.product.product_ring, 3);
  b.copy(product, sum);
  b.inverse(product);
  round_product(b, out, product, tables);
  clear_between(b, out, q, level.primes, q->limbs());
  return b.finish();
}

}  // namespace cyclotome::bfv
