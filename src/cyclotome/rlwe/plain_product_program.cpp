// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/plain_product_program.hpp"

namespace cyclotome::rlwe {

using program::Builder;
using program::Slice;

namespace {

/// The operands out and c, c wherever it is.
std::pair<Slice, Slice> ciphertexts_of(Builder& b, const Context& context, const PlainProductShape& shape) {
  const RingPtr& ring = context.level_ring(shape.level);
  const Slice out = b.output(ring, shape.parts, Domain::transform);
  return {out, b.input(ring, shape.parts, shape.domain, shape.one_c ? 1 : program::each)};
}

/// out = c factor, transforms but for c.
void multiply(Builder& b, const Slice& out, const Slice& c, const Slice& factor) {
  if (b.domain(c) == Domain::transform) return b.multiply(out, c, factor);
  const Slice transformed = b.temporary_like(c, out.ring, out.parts);
  b.copy(transformed, c);
  b.forward(transformed);
  b.multiply(out, transformed, factor);
}

}  // namespace

program::ProgramPtr plain_product_program(const Context& context, PlainIndex plain, const PlainProductShape& shape) {
  const RingPtr &ring = context.level_ring(shape.level), &plain_ring = context.plain_ring(plain);
  Builder b("multiply_plain");
  const auto [out, c] = ciphertexts_of(b, context, shape);
  const Slice m = b.input(plain_ring, 1, Domain::coefficient, shape.one_m ? 1 : program::each);
  const Slice factor = b.temporary_like(m, ring, 1);
  b.convert(factor, m, BaseConversion(plain_ring->basis(), ring->basis(), Lift::centred));
  b.forward(factor);
  multiply(b, out, c, factor);
  return b.finish();
}

program::ProgramPtr preparation_program(const Context& context, PlainIndex plain) {
  const RingPtr &ring = context.ciphertext_ring(), &plain_ring = context.plain_ring(plain);
  Builder b("prepare_plain");
  const Slice out = b.output(ring, 1, Domain::transform), m = b.input(plain_ring, 1, Domain::coefficient);
  b.convert(out, m, BaseConversion(plain_ring->basis(), ring->basis(), Lift::centred));
  b.forward(out);
  return b.finish();
}

program::ProgramPtr prepared_product_program(const Context& context, const PlainProductShape& shape) {
  Builder b("multiply_prepared");
  const auto [out, c] = ciphertexts_of(b, context, shape);
  multiply(b, out, c, b.input(context.level_ring(shape.level), 1, Domain::transform, shape.one_m ? 1 : program::each));
  return b.finish();
}

}  // namespace cyclotome::rlwe
