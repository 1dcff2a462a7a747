// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/decryption_program.hpp"

#include "cyclotome/rlwe/keys/encryption_program.hpp"
#include "cyclotome/scheme/bfv/composites.hpp"

namespace cyclotome::bfv {

using program::Builder;
using program::Slice;

ExecutionPtr decryption(const Context& context, rlwe::Level level, rlwe::PlainIndex plain, std::size_t parts,
                        Domain domain) {
  return context.execution(
      {"bfv.decrypt", {level.primes, plain.number, parts, static_cast<std::uint64_t>(domain)}}, [&] {
        const RingPtr& q = context.level_ring(level);
        Builder b("bfv.decrypt");
        const Slice out = b.output(context.plain_ring(plain), 1, Domain::coefficient, true), peaks = b.output_numbers();
        const Slice c = b.input(q, parts, domain), s = b.input(q, 1, Domain::transform, 1, true);
        const Slice phase = b.temporary(q, 1);
        rlwe::write_phase(b, phase, c, s);
        scale_to_plain(b, out, peaks, phase, context.plain_scale(level, plain));
        return b.finish();
      });
}

ExecutionPtr rounding(const Context& context, rlwe::Level level, rlwe::PlainIndex plain) {
  return context.execution({"bfv.round", {level.primes, plain.number}}, [&] {
    Builder b("bfv.round");
    const Slice out = b.output(context.plain_ring(plain), 1, Domain::coefficient, true), peaks = b.output_numbers();
    const Slice phase = b.input(context.level_ring(level), 1, Domain::coefficient, program::each, true);
    scale_to_plain(b, out, peaks, phase, context.plain_scale(level, plain));
    return b.finish();
  });
}

}  // namespace cyclotome::bfv
