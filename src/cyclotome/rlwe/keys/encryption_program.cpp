// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/encryption_program.hpp"

#include "cyclotome/program/composites.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome::rlwe {

using program::Builder;
using program::Slice;

namespace {

/// a *= factor, a small public integer.
void multiply_by(Builder& b, const Slice& a, std::uint64_t factor) {
  if (factor != 1) b.multiply_scalars(a, a, per_limb(a.ring->basis(), [&](std::uint64_t q) { return factor % q; }));
}

/// Errors over `ring`, times what keys' errors are multiples of.
Slice sampled_error(Builder& b, const RingPtr& ring, std::size_t parts, std::uint64_t multiple, std::uint32_t seed,
                    Stream stream) {
  const Slice error = b.temporary(ring, parts);
  b.sample(error, Law::error, seed, stream);
  multiply_by(b, error, multiple);
  return error;
}

/// The message over Q, in coefficients; nothing for zero.
std::optional<Slice> scaled_message(Builder& b, const Context& context, PlainIndex plain, const BaseConversion* scale) {
  if (scale == nullptr) return {};
  const Slice message = b.input(context.plain_ring(plain), 1, Domain::coefficient, program::each, true);
  const Slice text = b.temporary(context.ciphertext_ring(), 1);
  b.convert(text, message, *scale);
  return text;
}

/// out (transforms) = (u key + error) factor + text: where errors are multiplied late, the text is not.
void mask_late(Builder& b, const Slice& out, const Slice& u, const Slice& key, const Slice& error, std::uint64_t factor,
               const std::optional<Slice>& text) {
  b.forward(u);
  b.multiply(out, u, key);
  b.forward(error);
  b.add(out, out, error);
  multiply_by(b, out, factor);
  if (!text) return;
  b.forward(*text);
  b.add(out.part(0), out.part(0), *text);
}

program::ProgramPtr public_encryption_program(const Context& context, PlainIndex plain, const BaseConversion* scale) {
  const RingPtr &ring = context.encryption_ring(), &q = context.ciphertext_ring();
  const DivideAndRound* const rounding = context.encryption_rounding(plain);
  const ErrorMultiples multiples = context.error_multiples(plain);
  const Domain native = context.native_domain();
  Builder b("encrypt");
  const Slice out = b.output(q, 2, native), whole_key = b.input(context.key_ring(), 2, Domain::transform, 1);
  const Slice key = whole_key.limbs(context.special_limbs() - (rounding == nullptr ? 0 : 1), ring);
  const std::uint32_t seed = b.seed();
  const std::optional<Slice> text = scaled_message(b, context, plain, scale);
  const Slice u = b.temporary(ring, 1);
  b.sample(u, Law::ternary, seed, Stream::encryption_ternary);
  const Slice error = sampled_error(b, ring, 2, multiples.of_keys, seed, Stream::encryption_error);
  if (rounding != nullptr) {
    const Slice product = b.temporary(ring, 2);
    program::multiply_key(b, product, u, key, error);
    program::divide_and_round(b, out, product.limbs(1, q), product.limbs(0, rounding->dropped), *rounding, text);
    if (native == Domain::transform) b.forward(out);
    return b.finish();
  }
  if (multiples.factor() != 1) {
    mask_late(b, out, u, key, error, multiples.factor(), text);
    return b.finish();
  }
  if (text) b.add(error.part(0), error.part(0), *text);
  if (native == Domain::coefficient) {
    program::multiply_key(b, out, u, key, error);
  } else {
    mask_late(b, out, u, key, error, 1, {});
  }
  return b.finish();
}

program::ProgramPtr symmetric_encryption_program(const Context& context, PlainIndex plain,
                                                 const BaseConversion* scale) {
  const RingPtr& q = context.ciphertext_ring();
  const Domain native = context.native_domain();
  Builder b("encrypt under the secret key");
  const Slice out = b.output(q, 2, native), s = b.input(q, 1, Domain::transform, 1, true);
  const std::uint32_t uniform = b.seed(Builder::Publicity::published), noise = b.seed();
  const std::optional<Slice> text = scaled_message(b, context, plain, scale);
  b.sample(out.part(1), Law::uniform, uniform, Stream::symmetric_uniform, native);
  const Slice body = b.temporary(q, 1);
  b.copy(body, out.part(1));
  if (native == Domain::coefficient) b.forward(body);
  b.multiply(body, body, s);
  const Slice error = sampled_error(b, q, 1, context.preserved_modulus(plain), noise, Stream::symmetric_error);
  if (text) b.subtract(error, error, *text);
  if (native == Domain::coefficient) {
    b.inverse(body);
  } else {
    b.forward(error);
  }
  b.add(body, body, error);
  b.negate(out.part(0), body);
  return b.finish();
}

std::uint64_t id_of(const BaseConversion* scale) { return scale == nullptr ? 0 : scale->id(); }

}  // namespace

ExecutionPtr public_encryption(const Context& context, PlainIndex plain, const BaseConversion* scale) {
  return context.execution({"encrypt", {plain.number, id_of(scale)}},
                           [&] { return public_encryption_program(context, plain, scale); });
}

ExecutionPtr symmetric_encryption(const Context& context, PlainIndex plain, const BaseConversion* scale) {
  return context.execution({"encrypt under the secret key", {plain.number, id_of(scale)}},
                           [&] { return symmetric_encryption_program(context, plain, scale); });
}

void write_phase(Builder& b, const Slice& out, const Slice& c, const Slice& s) {
  const Domain domain = b.domain(c);
  // c_j transformed, j > 0.
  const auto transformed = [&](std::size_t j) {
    if (domain == Domain::transform) return c.part(j);
    const Slice moved = b.temporary_like(c, c.ring, 1);
    b.copy(moved, c.part(j));
    b.forward(moved);
    return moved;
  };
  if (domain == Domain::coefficient && c.parts == 2) {
    program::multiply_key(b, out, c.part(1), s, c.part(0), program::Operands::kept);
    return;
  }
  // Horner's rule in s over the transforms of c_1, c_2, ...; c_0 is added in its own domain.
  b.multiply(out, transformed(c.parts - 1), s);
  for (std::size_t j = c.parts - 1; j-- > 1;) {
    b.add(out, out, transformed(j));
    b.multiply(out, out, s);
  }
  if (domain == Domain::coefficient) b.inverse(out);
  b.add(out, out, c.part(0));
  if (domain == Domain::transform) b.inverse(out);
}

ExecutionPtr phase_of(const Context& context, Level level, std::size_t parts, Domain domain) {
  return context.execution({"phase", {level.primes, parts, static_cast<std::uint64_t>(domain)}}, [&] {
    const RingPtr& q = context.level_ring(level);
    Builder b("phase");
    const Slice out = b.output(q, 1, Domain::coefficient, true), c = b.input(q, parts, domain);
    write_phase(b, out, c, b.input(q, 1, Domain::transform, 1, true));
    return b.finish();
  });
}

}  // namespace cyclotome::rlwe
