// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/switching/key_switch_program.hpp"

#include <algorithm>

#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/rlwe/switching/level_switch_program.hpp"

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

ProgramKey key_of(std::string_view name, const SwitchShape& shape, std::uint64_t element = 0) {
  return {name, {shape.level.primes, shape.from.primes, shape.at.primes, shape.plain.number, element}};
}

/// A ciphertext's way to the level where it is switched, and back. Of the part that is switched only those limbs are
/// needed that have digits other than zero.
class LevelledSwitch {
 public:
  LevelledSwitch(const Context& context, const SwitchShape& shape)
      : context_(context),
        from_(shape.from),
        at_(shape.at),
        key_switch_(context.key_switch(shape.at, shape.plain)),
        read_(key_switch_.constants().whole_digits(std::min(shape.from, shape.at).primes)) {}

  const RingPtr& read_ring() const { return context_.level_ring(read_); }

  /// c over the level's primes or, not raised yet, over `from` of them; the last part is the one that is switched.
  Slice lowered(Builder& b, const Slice& c) const {
    const Level level(c.ring->limbs());
    if (level == at_) return c;
    const Slice low = b.temporary(context_.level_ring(at_), c.parts);
    if (level > at_) {
      lower(b, context_, low, c, from_);
    } else {
      raise(b, context_, low, c);
    }
    clear_between(b, context_, low, from_.primes, read_.primes);
    clear_between(b, context_, low.part(0, c.parts - 1), std::max(read_, from_).primes, at_.primes);
    return low;
  }

  /// c, addend: over the primes of `at`.
  void switch_key(Builder& b, const Slice& out, const Slice& c, const Slice& key, const Slice& addend) const {
    const Slice low = first_limbs(context_, out, at_);
    rlwe::switch_key(b, low, first_limbs(context_, c, read_), key, key_switch_, context_.native_domain(), addend);
    if (at_.primes == out.ring->limbs()) return;
    raise(b, context_, out, low);
    clear_between(b, context_, out, at_.primes, out.ring->limbs());
  }

 private:
  const Context& context_;
  Level from_, at_;
  const KeySwitch& key_switch_;
  Level read_;
};

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

Relinearization::Relinearization(const Context& context, PlainIndex plain, Level level, const NoiseBound& before)
    : at(key_switch_level(context.parameters(), before, level, 3,
                          context.key_switch(level, plain).relinearization_noise())),
      noise(key_switched_noise(context.parameters(), before, level, at, 3,
                               context.key_switch(at, plain).relinearization_noise())) {}

void relinearize_at(Builder& b, const Context& context, const Slice& out, const Slice& c, const Slice& key,
                    const SwitchShape& shape) {
  const LevelledSwitch levelled(context, shape);
  const Slice low = levelled.lowered(b, c);
  levelled.switch_key(b, out, low.part(2), key, low.part(0, 2));
}

ExecutionPtr relinearization(const Context& context, const SwitchShape& shape) {
  return context.execution(key_of("relinearize", shape), [&] {
    const RingPtr& q = context.level_ring(shape.level);
    const Domain domain = context.native_domain();
    Builder b("relinearize");
    const Slice out = b.output(q, 2, domain), c = b.input(q, 3, domain), key = key_input(b, context);
    relinearize_at(b, context, out, c, key, shape);
    return b.finish();
  });
}

ExecutionPtr rekeying(const Context& context, const SwitchShape& shape) {
  return context.execution(key_of("rekey", shape), [&] {
    const RingPtr& q = context.level_ring(shape.level);
    const Domain domain = context.native_domain();
    Builder b("rekey");
    const Slice out = b.output(q, 2, domain), c = b.input(q, 2, domain), key = key_input(b, context);
    const LevelledSwitch levelled(context, shape);
    const Slice low = levelled.lowered(b, c);
    levelled.switch_key(b, out, low.part(1), key, low.part(0));
    return b.finish();
  });
}

ExecutionPtr galois_turn(const Context& context, const SwitchShape& shape, std::uint64_t element) {
  return context.execution(key_of("apply_galois", shape, element), [&] {
    const RingPtr& q = context.level_ring(shape.level);
    const Domain domain = context.native_domain();
    Builder b("apply_galois");
    const Slice out = b.output(q, 2, domain), c = b.input(q, 2, domain), key = key_input(b, context);
    const LevelledSwitch levelled(context, shape);
    const Slice low = levelled.lowered(b, c), turned = b.temporary(low.ring, 2);
    if (const RingPtr& read = levelled.read_ring(); read->limbs() == low.ring->limbs()) {
      b.automorphism(turned, low, element);
    } else {
      b.automorphism(turned.part(0), low.part(0), element);
      b.automorphism(turned.part(1).limbs(0, read), low.part(1).limbs(0, read), element);
    }
    levelled.switch_key(b, out, turned.part(1), key, turned.part(0));
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
    const Slice key = key_input(b, context);
    if (key_switch.late_factors().empty()) {
      program::turned_switch(b, out, body, digits, key, element, key_switch.constants(), domain);
      return b.finish();
    }
    const Slice product = b.temporary(key_switch.key_ring(), 2), turned = b.temporary(q, 1);
    program::turned_product(b, product, digits, key, element);
    program::divide_product(b, out, product, key_switch.constants(), domain);
    b.multiply_scalars(out, out, key_switch.late_factors());
    b.automorphism(turned, body, element);
    add_to(b, out, turned);
    return b.finish();
  });
}

}  // namespace cyclotome::rlwe
