// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encapsulation/encapsulation.hpp"

#include <cmath>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/keys/lattice.hpp"
#include "cyclotome/rlwe/operations.hpp"

namespace cyclotome::rlwe {

namespace {

RingPtr first_special(const Context& context) { return context.special_ring()->slice(0, 1); }

KeySwitchConstants switch_constants(const Context& context) {
  return KeySwitchConstants(context.level_ring(Level(1)), first_special(context), 1);
}

}  // namespace

Encapsulated encapsulate(const Ciphertext& a, const EncapsulationKeys& keys) {
  const Context& context = *a.context();
  require_same_lattice("encapsulate", *keys.context(), context);
  require_same_key("encapsulate", a.key(), keys.id());
  if (a.parts() != 2 || a.level() != Level(1) || a.domain() != Domain::coefficient) {
    throw ArgumentError(message("encapsulate takes coefficients of 2 parts over one prime, not ", a.parts(),
                                " parts over ", a.limbs(), "; relinearise, and switch to level 1 first"));
  }
  const ExecutionPtr execution = context.execution({"encapsulate"}, [&] {
    const KeySwitchConstants constants = switch_constants(context);
    const RingPtr& q = constants.ciphertext_ring;
    program::Builder b("encapsulate");
    const program::Slice out = b.output(q, 2, Domain::coefficient), in = b.input(q, 2, Domain::coefficient);
    const program::Slice key = b.input(constants.key_ring, 2, Domain::transform, 1);
    program::key_switch(b, out, in.part(1), key, constants, Domain::coefficient, in.part(0));
    return b.finish();
  });
  PolyArray out = a.like(a.batch(), 2);
  const Operand operands[] = {out.view(), a.polynomials().view(), keys.to_sparse().view()};
  execution->run(operands);
  return {std::move(out), encapsulated_noise(context.parameters(), a.noise(), keys.weight())};
}

NoiseBound encapsulated_noise(const Parameters& parameters, const NoiseBound& noise, unsigned weight) {
  const NoiseCalculus& calculus = parameters.noise();
  const double q = std::log2(static_cast<double>(parameters.moduli().front()));
  const double p = std::log2(static_cast<double>(parameters.special_moduli().front()));
  // As NoiseCalculus::key_switch has it, but that the rounding by P is one under s~.
  constexpr double half = 0.5 + 0x1p-24;
  const NoiseBound digit = calculus.product(calculus.chosen(half), calculus.switching_key_error());
  const NoiseBound rounding = calculus.chosen(2 * half * sparse_rounding(weight));
  return calculus.sum(noise, calculus.sum(NoiseCalculus::scaled(digit, q - p), rounding));
}

Ciphertext released(const ContextPtr& context, PlainIndex plain, PolyArray polynomials, const NoiseBound& noise,
                    const EncapsulationKeys& keys) {
  const RekeyingKey back = on_context(keys.back(), context);
  return rekey(Ciphertext(context, back.from(), plain, std::move(polynomials), noise), back);
}

}  // namespace cyclotome::rlwe
