// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/plain_product_program.hpp"

namespace cyclotome::rlwe {

using program::Builder;
using program::Slice;

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
  if (domain == Domain::transform) {
    b.multiply(out, c, factor);
    return b.finish();
  }
  const Slice transformed = b.temporary_like(c, ring, parts);
  b.copy(transformed, c);
  b.forward(transformed);
  b.multiply(out, transformed, factor);
  b.inverse(out);
  return b.finish();
}

}  // namespace cyclotome::rlwe
