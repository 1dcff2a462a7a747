// SPDX-License-Identifier: Apache-2.0
// Hybrid key switching (specification 5.7) as a program: the one page that says what it is.
#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/program/rewriting.hpp"

namespace cyclotome::program {

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
    if (added < 2) b.copy(out.part(added, 2 - added), product.part(added, 2 - added));
    return;
  }
  const Slice dropped = product.limbs(0, constants.special_ring);
  if (domain == Domain::transform) b.inverse(dropped);
  divide_and_round(b, out, product.limbs(constants.special_limbs(), constants.ciphertext_ring), dropped,
                   *constants.rounding, addend);
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

}  // namespace cyclotome::program
