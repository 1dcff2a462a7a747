// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/key_switch_program.hpp"

#include "cyclotome/program/composites.hpp"

namespace cyclotome::rlwe {

using program::Builder;
using program::Slice;

namespace {

/// c times the inverse of what the results are multiplied by.
Slice prepared(Builder& b, const Slice& c, const KeySwitch& key_switch) {
  if (key_switch.inverse_factors().empty()) return c;
  const Slice scaled = b.temporary_like(c, c.ring, 1);
  b.multiply_scalars(scaled, c, key_switch.inverse_factors());
  return scaled;
}

/// a += x in its first parts.
void add_to(Builder& b, const Slice& a, const Slice& x) { b.add(a.part(0, x.parts), a.part(0, x.parts), x); }

}  // namespace

Slice key_input(Builder& b, const Context& context) {
  return b.input(context.key_ring(), 2, Domain::transform, context.key_switch().digits());
}

void switch_key(Builder& b, const Slice& out, const Slice& c, const Slice& key, const KeySwitch& key_switch,
                Domain domain, const std::optional<Slice>& addend) {
  const KeySwitchConstants constants = key_switch.constants().of_first(c.ring->limbs());
  const Slice scaled = prepared(b, c, key_switch);
  if (key_switch.late_factors().empty()) {
    program::key_switch(b, out, scaled, key, constants, domain, addend);
    return;
  }
  program::key_switch(b, out, scaled, key, constants, domain);
  b.multiply_scalars(out, out, key_switch.late_factors());
  if (addend) add_to(b, out, *addend);
}

ExecutionPtr relinearization(const Context& context, Level level, PlainIndex plain) {
  return context.execution({"relinearize", {level.primes, plain.number}}, [&] {
    const RingPtr& q = context.level_ring(level);
    const Domain domain = context.native_domain();
    Builder b("relinearize");
    const Slice out = b.output(q, 2, domain), c = b.input(q, 3, domain), key = key_input(b, context);
    switch_key(b, out, c.part(2), key, context.key_switch(level, plain), domain, c.part(0, 2));
    return b.finish();
  });
}

ExecutionPtr rekeying(const Context& context, Level level, PlainIndex plain) {
  return context.execution({"rekey", {level.primes, plain.number}}, [&] {
    const RingPtr& q = context.level_ring(level);
    const Domain domain = context.native_domain();
    Builder b("rekey");
    const Slice out = b.output(q, 2, domain), c = b.input(q, 2, domain), key = key_input(b, context);
    switch_key(b, out, c.part(1), key, context.key_switch(level, plain), domain, c.part(0));
    return b.finish();
  });
}

ExecutionPtr galois_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element) {
  return context.execution({"apply_galois", {level.primes, plain.number, element}}, [&] {
    const RingPtr& q = context.level_ring(level);
    const Domain domain = context.native_domain();
    Builder b("apply_galois");
    const Slice out = b.output(q, 2, domain), c = b.input(q, 2, domain), key = key_input(b, context);
    const Slice turned = b.temporary(q, 2);
    b.automorphism(turned, c, element);
    switch_key(b, out, turned.part(1), key, context.key_switch(level, plain), domain, turned.part(0));
    return b.finish();
  });
}

ExecutionPtr hoisted_digits(const Context& context, Level level, PlainIndex plain) {
  return context.execution({"hoisted digits", {level.primes, plain.number}}, [&] {
    const KeySwitch& key_switch = context.key_switch(level, plain);
    Builder b("hoisted digits");
    const Slice digits = b.output(key_switch.key_ring(), key_switch.digits(), Domain::transform);
    const Slice c = b.input(context.level_ring(level), 1, context.native_domain());
    program::extend_digits(b, digits, prepared(b, c, key_switch), key_switch.constants());
    return b.finish();
  });
}

ExecutionPtr hoisted_turn(const Context& context, Level level, PlainIndex plain, std::uint64_t element) {
  return context.execution({"hoisted turn", {level.primes, plain.number, element}}, [&] {
    const KeySwitch& key_switch = context.key_switch(level, plain);
    const RingPtr& q = context.level_ring(level);
    const Domain domain = context.native_domain();
    Builder b("hoisted turn");
    const Slice out = b.output(q, 2, domain), body = b.input(q, 1, domain);
    const Slice digits = b.input(key_switch.key_ring(), key_switch.digits(), Domain::transform);
    const Slice key = key_input(b, context), turned = b.temporary(q, 1);
    const Slice product = b.temporary(key_switch.key_ring(), 2);
    program::turned_product(b, product, digits, key, element);
    program::divide_product(b, out, product, key_switch.constants(), domain);
    if (!key_switch.late_factors().empty()) b.multiply_scalars(out, out, key_switch.late_factors());
    b.automorphism(turned, body, element);
    add_to(b, out, turned);
    return b.finish();
  });
}

}  // namespace cyclotome::rlwe
