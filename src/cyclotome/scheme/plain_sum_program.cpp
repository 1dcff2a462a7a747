// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/plain_sum_program.hpp"

namespace cyclotome::scheme {

using program::Slice;

program::ProgramPtr plain_sum_program(const rlwe::Context& context, const PlainSumShape& shape,
                                      const BaseConversion& lift) {
  const RingPtr& ring = context.level_ring(shape.level);
  program::Builder b(shape.sum == PlainSum::added ? "add_plain" : "subtract_plain");
  const Slice out = b.output(ring, shape.parts, shape.domain),
              c = b.input(ring, shape.parts, shape.domain, shape.one_c ? 1 : program::each),
              m = b.input(context.plain_ring(shape.plain), 1, Domain::coefficient, shape.one_m ? 1 : program::each);
  const Slice text = b.temporary_like(m, ring, 1);
  b.convert(text, m, lift);
  if (shape.domain == Domain::transform) b.forward(text);
  if (shape.sum == PlainSum::added) {
    b.add(out.part(0), c.part(0), text);
  } else {
    b.subtract(out.part(0), c.part(0), text);
  }
  if (shape.parts > 1) b.copy(out.part(1, shape.parts - 1), c.part(1, shape.parts - 1));
  return b.finish();
}

}  // namespace cyclotome::scheme
