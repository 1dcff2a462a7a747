// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/switching/linear_transform_program.hpp"

#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"

namespace cyclotome::rlwe {

using program::Builder;
using program::Slice;

namespace {

/// P modulo every prime of q, divided by what results are multiplied by in the end (`KeySwitch::inverse_factors`).
std::vector<std::uint64_t> extension_factors(const KeySwitch& key_switch) {
  const KeySwitchConstants& constants = key_switch.constants();
  const Basis& q = constants.ciphertext_ring->basis();
  std::vector<std::uint64_t> factors;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Modulus<std::uint64_t> prime(q.values()[i]);
    const std::uint64_t p =
        constants.special_ring == nullptr ? 1 : constants.special_ring->basis().product_mod(prime.value());
    const std::uint64_t inverse = key_switch.inverse_factors().empty() ? 1 : key_switch.inverse_factors()[i];
    factors.push_back(prime.multiply(prime.reduce(p), inverse));
  }
  return factors;
}

/// The limbs of q of something over P q.
Slice over_q(const Slice& a, const KeySwitchConstants& constants) {
  return a.limbs(constants.special_limbs(), constants.ciphertext_ring);
}

/// out (1 part over P q) += P c(x^element), of the first part of an extended ciphertext.
void add_turned(Builder& b, const Slice& out, const Slice& part, std::uint64_t element) {
  const Slice turned = b.temporary_like(part, part.ring, 1);
  b.automorphism(turned, part, element);
  b.add(out, out, turned);
}

}  // namespace

RingPtr extended_ring(const Context& context, Level level) {
  if (level == context.max_level()) return context.key_ring();
  return context.key_ring()->slice(0, context.special_limbs() + level.primes);
}

ExecutionPtr extended_plaintext(const Context& context, Level level, PlainIndex plain) {
  return context.execution({"extended plaintext", {level.primes, plain.number}}, [&] {
    const RingPtr ring = extended_ring(context, level), plain_ring = context.plain_ring(plain);
    Builder b("extended plaintext");
    const Slice out = b.output(ring, 1, Domain::transform), m = b.input(plain_ring, 1, Domain::coefficient);
    b.convert(out, m, BaseConversion(plain_ring->basis(), ring->basis(), Lift::centred));
    b.forward(out);
    return b.finish();
  });
}

ExecutionPtr extended_ciphertext(const Context& context, Level level, PlainIndex plain) {
  return context.execution({"extended ciphertext", {level.primes, plain.number}}, [&] {
    const KeySwitch& key_switch = context.key_switch(level, plain);
    const KeySwitchConstants& constants = key_switch.constants();
    const Domain domain = context.native_domain();
    Builder b("extended ciphertext");
    const Slice out = b.output(constants.key_ring, 2, Domain::transform);
    const Slice c = b.input(constants.ciphertext_ring, 2, domain), kept = over_q(out, constants);
    b.multiply_scalars(kept, c, extension_factors(key_switch));
    if (domain == Domain::coefficient) b.forward(kept);
    if (constants.special_ring != nullptr) b.clear(out.limbs(0, constants.special_ring), Domain::transform);
    return b.finish();
  });
}

ExecutionPtr extended_hoisted_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element) {
  return context.execution({"extended hoisted turn", {level.primes, plain.number, element}}, [&] {
    const KeySwitch& key_switch = context.key_switch(level, plain);
    const KeySwitchConstants& constants = key_switch.constants();
    Builder b("extended hoisted turn");
    const Slice out = b.output(constants.key_ring, 2, Domain::transform);
    const Slice extended = b.input(constants.key_ring, 2, Domain::transform);
    const Slice digits = b.input(constants.key_ring, key_switch.digits(), Domain::transform);
    program::turned_product(b, out, digits, key_input(b, context), element);
    add_turned(b, over_q(out.part(0), constants), over_q(extended.part(0), constants), element);
    return b.finish();
  });
}

ExecutionPtr extended_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element) {
  return context.execution({"extended turn", {level.primes, plain.number, element}}, [&] {
    const KeySwitch& key_switch = context.key_switch(level, plain);
    const KeySwitchConstants& constants = key_switch.constants();
    Builder b("extended turn");
    const Slice out = b.output(constants.key_ring, 2, Domain::transform);
    const Slice extended = b.input(constants.key_ring, 2, Domain::transform), key = key_input(b, context);
    const Slice product = b.temporary(constants.key_ring, 1), c = b.temporary(constants.ciphertext_ring, 1);
    b.copy(product, extended.part(1));
    program::divide_product(b, c, product, constants, Domain::coefficient);
    // A division multiplies by what results are multiples of; without one the extended ciphertext is divided by it yet.
    if (constants.rounding && !key_switch.inverse_factors().empty()) {
      b.multiply_scalars(c, c, key_switch.inverse_factors());
    }
    const Slice digits = b.temporary(constants.key_ring, key_switch.digits());
    program::extend_digits(b, digits, c, constants);
    program::turned_product(b, out, digits, key, element);
    add_turned(b, out.part(0), extended.part(0), element);
    return b.finish();
  });
}

ExecutionPtr extended_weighted_sums(const Context& context, Level level, const RingPtr& all, std::size_t terms,
                                    std::size_t rows) {
  return context.execution({"extended weighted sums", {level.primes, all->limbs(), terms, rows}}, [&] {
    const RingPtr& ring = context.key_switch(level, PlainIndex(0)).key_ring();
    Builder b("extended weighted sums");
    const Slice out = b.output(ring, 2 * rows, Domain::transform);
    const Slice first = b.input(ring, terms, Domain::transform), second = b.input(ring, terms, Domain::transform);
    std::vector<Slice> weights;
    for (std::size_t i = 0; i < rows; ++i) {
      weights.push_back(b.input(all, 1, Domain::transform, terms).limbs(0, ring));
    }
    program::weighted_sums(b, out, first, second, weights);
    return b.finish();
  });
}

ExecutionPtr divided_ciphertext(const Context& context, Level level, PlainIndex plain) {
  return context.execution({"divided ciphertext", {level.primes, plain.number}}, [&] {
    const KeySwitch& key_switch = context.key_switch(level, plain);
    const KeySwitchConstants& constants = key_switch.constants();
    const Domain domain = context.native_domain();
    Builder b("divided ciphertext");
    const Slice out = b.output(constants.ciphertext_ring, 2, domain);
    const Slice extended = b.input(constants.key_ring, 2, Domain::transform);
    const Slice product = b.temporary(constants.key_ring, 2);
    b.copy(product, extended);
    program::divide_product(b, out, product, constants, domain);
    if (!key_switch.late_factors().empty()) b.multiply_scalars(out, out, key_switch.late_factors());
    return b.finish();
  });
}

}  // namespace cyclotome::rlwe
