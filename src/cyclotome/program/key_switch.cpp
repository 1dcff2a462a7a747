// SPDX-License-Identifier: Apache-2.0
// Hybrid key switching (specification 5.7) as a program: the one page that says what it is.
#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/program/rewriting.hpp"

namespace cyclotome::program {

namespace {

/// What the last conversion of a composite converts.
const Ring* last_converted(const Program& program, const Composite& composite) {
  const Ring* ring = nullptr;
  for (std::size_t i = composite.first; i < composite.last; ++i) {
    if (program.ops()[i].verb == Verb::convert) ring = program.ops()[i].a.ring;
  }
  return ring;
}

}  // namespace

void extend_digits(Builder& b, const Slice& digits, const Slice& c, const KeySwitchConstants& constants) {
  Slice coefficients = c;
  if (b.domain(c) == Domain::transform) {
    coefficients = b.temporary_like(c, constants.ciphertext_ring, 1);
    b.copy(coefficients, c);
    b.inverse(coefficients);
  }
  for (std::size_t j = 0; j < constants.digits.size(); ++j) {
    const KeySwitchConstants::Digit& digit = constants.digits[j];
    b.convert(digits.part(j), coefficients.limbs(digit.first, digit.ring), digit.extension);
  }
  b.forward(digits);
}

void key_switch_product(Builder& b, const Slice& out, const Slice& digits, const Slice& key) {
  if (digits.parts != key.items) {
    throw ArgumentError(
        message("key_switch_product: ", digits.parts, " digits and a key of ", key.items, " do not fit"));
  }
  b.composite("key_switch_product", {out}, {digits, key}, {}, [&] {
    b.clear(out, Domain::transform);
    for (std::size_t j = 0; j < digits.parts; ++j) b.multiply_accumulate(out, digits.part(j), key.item(j));
  });
}

bool is_key_switch_product(const Program& program, const Composite& composite) {
  return composite.name == "key_switch_product" && composite.outs.size() == 1 && composite.ins.size() == 2 &&
         composite.ins[0].parts == composite.ins[1].items &&
         is_written_by(program, composite, [](Builder& b, std::span<const Slice> outs, std::span<const Slice> ins) {
           key_switch_product(b, outs[0], ins[0], ins[1]);
         });
}

void weighted_sums(Builder& b, const Slice& out, const Slice& first, const Slice& second,
                   std::span<const Slice> weights) {
  std::vector<Slice> ins{first, second};
  ins.insert(ins.end(), weights.begin(), weights.end());
  b.composite("weighted_sums", {out}, ins, {}, [&] {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      key_switch_product(b, out.part(2 * i), first, weights[i]);
      key_switch_product(b, out.part(2 * i + 1), second, weights[i]);
    }
  });
}

bool is_weighted_sums(const Program& program, const Composite& composite) {
  return composite.name == "weighted_sums" && composite.outs.size() == 1 && composite.ins.size() > 2 &&
         composite.outs[0].parts == 2 * (composite.ins.size() - 2) &&
         is_written_by(program, composite, [](Builder& b, std::span<const Slice> outs, std::span<const Slice> ins) {
           weighted_sums(b, outs[0], ins[0], ins[1], ins.subspan(2));
         });
}

void turned_product(Builder& b, const Slice& out, const Slice& digits, const Slice& key, std::uint64_t element) {
  const Slice present = key.limbs(0, digits.ring).item(0, digits.parts);
  b.composite("turned_product", {out}, {digits, present}, {}, [&] {
    const Slice turned = b.temporary_like(digits, digits.ring, digits.parts);
    b.automorphism(turned, digits, element);
    key_switch_product(b, out, turned, present);
  });
}

std::optional<std::uint64_t> read_turned_product(const Program& program, const Composite& composite) {
  const Op& first = program.ops()[composite.first];
  if (composite.name != "turned_product" || composite.outs.size() != 1 || composite.ins.size() != 2) return {};
  const bool same =
      is_written_by(program, composite, [&](Builder& b, std::span<const Slice> outs, std::span<const Slice> ins) {
        turned_product(b, outs[0], ins[0], ins[1], first.element);
      });
  return same ? std::optional(first.element) : std::nullopt;
}

void divide_product(Builder& b, const Slice& out, const Slice& product, const KeySwitchConstants& constants,
                    Domain domain, const std::optional<Slice>& addend) {
  if (domain == Domain::coefficient) b.inverse(product);
  if (!constants.rounding) {
    const std::size_t added = addend ? addend->parts : 0;
    if (added != 0) b.add(out.part(0, added), product.part(0, added), *addend);
    if (added < out.parts) b.copy(out.part(added, out.parts - added), product.part(added, out.parts - added));
    return;
  }
  const Slice dropped = product.limbs(0, constants.special_ring);
  if (domain == Domain::transform) b.inverse(dropped);
  divide_and_round(b, out, product.limbs(constants.special_limbs(), constants.ciphertext_ring), dropped,
                   *constants.rounding, addend);
}

void turned_switch(Builder& b, const Slice& out, const Slice& body, const Slice& digits, const Slice& key,
                   std::uint64_t element, const KeySwitchConstants& constants, Domain domain) {
  const Slice present = key.limbs(0, digits.ring).item(0, digits.parts);
  b.composite("turned_switch", {out}, {body, digits, present}, {}, [&] {
    const Slice product = b.temporary_like(digits, digits.ring, 2), turned = b.temporary_like(body, body.ring, 1);
    turned_product(b, product, digits, present, element);
    b.automorphism(turned, body, element);
    divide_product(b, out, product, constants, domain, turned);
  });
}

std::optional<TurnedSwitch> read_turned_switch(const Program& program, const Composite& composite) {
  if (composite.name != "turned_switch" || composite.outs.size() != 1 || composite.ins.size() != 3) return {};
  const Place &out = composite.outs[0], &digits = composite.ins[1];
  TurnedSwitch step{program.ops()[composite.first].element, {}};
  step.constants.ciphertext_ring = out.ring->shared_from_this();
  step.constants.key_ring = digits.ring->shared_from_this();
  const auto factors = program.factors(composite);
  if (const auto conversions = program.conversions(composite); conversions.size() == 1 && factors.size() == 1) {
    step.constants.special_ring = last_converted(program, composite)->shared_from_this();
    step.constants.rounding.emplace(step.constants.ciphertext_ring, step.constants.special_ring, *conversions[0],
                                    *factors[0]);
  }
  const bool same =
      is_written_by(program, composite, [&](Builder& b, std::span<const Slice> outs, std::span<const Slice> ins) {
        turned_switch(b, outs[0], ins[0], ins[1], ins[2], step.element, step.constants, out.domain);
      });
  return same ? std::optional(std::move(step)) : std::nullopt;
}

void key_switch(Builder& b, const Slice& out, const Slice& c, const Slice& key, const KeySwitchConstants& constants,
                Domain domain, const std::optional<Slice>& addend) {
  if (b.domain(c) == Domain::transform && c.ring->limbs() != constants.ciphertext_ring->limbs()) {
    throw ArgumentError(message("key_switch: a transform over ", c.ring->limbs(), " of ",
                                constants.ciphertext_ring->limbs(),
                                " primes; fewer than all are taken in coefficients"));
  }
  const Slice present = key.limbs(0, constants.key_ring).item(0, constants.digits.size());
  std::vector<Slice> ins{c, present};
  if (addend) ins.push_back(*addend);
  b.composite("key_switch", {out}, ins, {}, [&] {
    const Slice digits = b.temporary_like(c, constants.key_ring, constants.digits.size());
    extend_digits(b, digits, c, constants);
    const Slice product = b.temporary_like(c, constants.key_ring, 2);
    key_switch_product(b, product, digits, present);
    divide_product(b, out, product, constants, domain, addend);
  });
}

std::optional<KeySwitchConstants> read_key_switch(const Program& program, const Composite& composite) {
  if (composite.name != "key_switch" || composite.outs.size() != 1 || composite.ins.size() < 2) return {};
  const Place &out = composite.outs[0], &c = composite.ins[0], &key = composite.ins[1];
  KeySwitchConstants constants;
  constants.ciphertext_ring = out.ring->shared_from_this();
  constants.key_ring = key.ring->shared_from_this();
  std::vector<const Op*> conversions;
  for (std::size_t i = composite.first; i < composite.last; ++i) {
    if (program.ops()[i].verb == Verb::convert) conversions.push_back(&program.ops()[i]);
  }
  const auto factors = program.factors(composite);
  if (!factors.empty() && !conversions.empty()) {  // the last conversion is the division's
    const Op& last = *conversions.back();
    constants.special_ring = last.a.ring->shared_from_this();
    constants.rounding.emplace(constants.ciphertext_ring, constants.special_ring, *last.conversion, *factors[0]);
    conversions.pop_back();
  }
  for (const Op* const op : conversions) {  // a digit is where its conversion reads
    const std::size_t base = op->a.value == c.value ? c.first_limb : 0;
    constants.digits.push_back({op->a.first_limb - base, op->a.ring->shared_from_this(), *op->conversion});
  }
  const bool same =
      is_written_by(program, composite, [&](Builder& b, std::span<const Slice> outs, std::span<const Slice> ins) {
        key_switch(b, outs[0], ins[0], ins[1], constants, out.domain,
                   ins.size() > 2 ? std::optional(ins[2]) : std::nullopt);
      });
  return same ? std::optional(std::move(constants)) : std::nullopt;
}

std::vector<std::uint64_t> special_product(const KeySwitchConstants& constants) {
  std::vector<std::uint64_t> factors;
  for (const std::uint64_t prime : constants.ciphertext_ring->basis().values()) {
    factors.push_back(constants.special_ring->basis().product_mod(prime));
  }
  return factors;
}

void key_switch_and_drop(Builder& b, const Slice& out, const Slice& c, const Slice& key, const SwitchAndDrop& constants,
                         const Slice& addend) {
  const KeySwitchConstants& switching = constants.key_switch;
  const RingPtr &q = switching.ciphertext_ring, &special = switching.special_ring, &kept = constants.division.kept;
  const Slice present = key.limbs(0, switching.key_ring).item(0, switching.digits.size());
  b.composite("key_switch_and_drop", {out}, {c, present, addend}, {}, [&] {
    const Slice digits = b.temporary_like(c, switching.key_ring, switching.digits.size());
    extend_digits(b, digits, c, switching);
    const Slice product = b.temporary_like(c, switching.key_ring, 2);
    key_switch_product(b, product, digits, present);
    const Slice over_q = product.limbs(special->limbs(), q), scaled = b.temporary_like(c, q, 2);
    b.multiply_scalars(scaled, addend, special_product(switching));
    b.add(over_q, over_q, scaled);
    const Slice dropped = b.temporary_like(c, constants.division.dropped, 2);
    const RingPtr last = q->slice(kept->limbs(), q->limbs() - kept->limbs());
    b.copy(dropped.limbs(0, special), product.limbs(0, special));
    b.copy(dropped.limbs(special->limbs(), last), product.limbs(special->limbs() + kept->limbs(), last));
    b.inverse(dropped);
    divide_and_round(b, out, product.limbs(special->limbs(), kept), dropped, constants.division);
  });
}

std::optional<SwitchAndDrop> read_key_switch_and_drop(const Program& program, const Composite& composite) {
  if (composite.name != "key_switch_and_drop" || composite.outs.size() != 1 || composite.ins.size() != 3) return {};
  const Place &out = composite.outs[0], &c = composite.ins[0], &key = composite.ins[1];
  std::vector<const Op*> conversions, copies;
  for (std::size_t i = composite.first; i < composite.last; ++i) {
    const Op& op = program.ops()[i];
    if (op.verb == Verb::convert) conversions.push_back(&op);
    if (op.verb == Verb::copy) copies.push_back(&op);
  }
  const auto factors = program.factors(composite);
  // Copied: c, P's limbs, those of the primes that go. Factors: of the addend, of the division.
  if (conversions.size() < 2 || copies.size() != 3 || factors.size() != 2) return {};
  const Op& last = *conversions.back();
  SwitchAndDrop constants{
      {}, {out.ring->shared_from_this(), last.a.ring->shared_from_this(), *last.conversion, *factors[1]}};
  conversions.pop_back();
  constants.key_switch.ciphertext_ring = c.ring->shared_from_this();
  constants.key_switch.key_ring = key.ring->shared_from_this();
  constants.key_switch.special_ring = copies[1]->a.ring->shared_from_this();
  for (const Op* const op : conversions) {
    constants.key_switch.digits.push_back({op->a.first_limb, op->a.ring->shared_from_this(), *op->conversion});
  }
  const bool same =
      is_written_by(program, composite, [&](Builder& b, std::span<const Slice> outs, std::span<const Slice> ins) {
        key_switch_and_drop(b, outs[0], ins[0], ins[1], constants, ins[2]);
      });
  return same ? std::optional(std::move(constants)) : std::nullopt;
}

}  // namespace cyclotome::program
