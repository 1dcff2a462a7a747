// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/plain_product_program.hpp"

namespace cyclotome::rlwe {

using program::Builder;
using program::Slice;

namespace {

/// out = c factor, a transform, wherever c is.
void multiply(Builder& b, const Slice& out, const Slice& c, const Slice& factor, Domain domain) {
  if (domain == Domain::transform) return b.multiply(out, c, factor);
  const Slice transformed = b.temporary_like(c, out.ring, out.parts);
  b.copy(transformed, c);
  b.forward(transformed);
  b.multiply(out, transformed, factor);
  b.inverse(out);
}

}  // namespace

program::ProgramPtr plain_product_program(const Context& context, Level level, PlainIndex plain, std::size_t parts,
                                          bool one_c, bool one_m) {
  const RingPtr &ring = context.level_ring(level), &plain_ring = context.plain_ring(plain);
  const Domain domain = context.native_domain();
  Builder b("multiply_plain");
  const Slice out = b.output(ring, parts, domain), c = b.input(ring, parts, domain, one_c ? 1 : program::each);
  const Slice m = b.input(plain_ring, 1, Domain::coefficient, one_m ? 1 : program::each);
  const Slice factor = b.temporary_like(m, ring, 1);
  b.convert(factor, m, BaseConversion(plain_ring->basis(), ring->basis(), Lift::centred));
  b.forward(factor);
  multiply(b, out, c, factor, domain);
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

program::ProgramPtr prepared_product_program(const Context& context, Level level, std::size_t parts, bool one_c,
                                             bool one_m) {
  const RingPtr& ring = context.level_ring(level);
  const Domain domain = context.native_domain();
  Builder b("multiply_prepared");
  const Slice out = b.output(ring, parts, domain), c = b.input(ring, parts, domain, one_c ? 1 : program::each);
  const Slice m = b.input(ring, 1, Domain::transform, one_m ? 1 : program::each);
  multiply(b, out, c, m, domain);
  return b.finish();
}

}  // namespace cyclotome::rlwe
