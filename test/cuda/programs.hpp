// SPDX-License-Identifier: Apache-2.0
#pragma once

// The programs of usual operations, without a scheme around them: what engines are asked for most.

#include <optional>
#include <string>
#include <vector>

#include "cyclotome/math/primes.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"

namespace cyclotome::check {

using program::Builder;
using program::Slice;

/// Rings of a ciphertext and of its keys, with what belongs to products, key switches, encryption and decryption.
struct Bases {
  static constexpr std::uint64_t plain_modulus = 65537;

  /// per_digit: primes of a digit.
  Bases(std::size_t degree, Word word, std::size_t limbs, std::size_t special, std::size_t per_digit, unsigned bits)
      : all(Ring::negacyclic(degree, Basis(word, primes_congruent_to_one(bits, 2 * degree, special + limbs)))),
        p(all->slice(0, special)),
        q(all->slice(special, limbs)),
        auxiliary(Ring::negacyclic(degree, bfv::hps_auxiliary_basis(q->basis(), *q->shape(), all->basis().values()))),
        plain(Ring::negacyclic(degree, Basis(word, {plain_modulus}))),
        hps(q, auxiliary, rlwe::PlainModulus(plain_modulus)),
        switching(q, p, per_digit),
        encryption_ring(all->slice(special - 1, limbs + 1)),
        encryption_rounding(q, all->slice(special - 1, 1)),
        message_scale(plain->basis(), q->basis(), Lift::fast),
        plain_scale(q, plain, primes_congruent_to_one(bits - 1, 2 * degree, 1)[0]),
        reduction(q->basis(), plain->basis(), Lift::centred) {}

  RingPtr all, p, q, auxiliary, plain;
  bfv::HpsProduct hps;
  KeySwitchConstants switching;
  RingPtr encryption_ring;
  DivideAndRound encryption_rounding;
  BaseConversion message_scale;
  bfv::PlainScale plain_scale;
  BaseConversion reduction;

  Slice key(Builder& b) const { return b.input(all, 2, Domain::transform, switching.digits.size()); }
};

/// BFV: out = a b / q, relinearised. Operands: out, a, b (not of a square), key. shared: b is one for all items.
inline program::ProgramPtr bfv_product(const Bases& bases, bool square = false, bool shared = false) {
  Builder b("bfv product");
  const RingPtr &q = bases.q, &both = bases.hps.product_ring;
  const Slice out = b.output(q, 2, Domain::coefficient), x = b.input(q, 2, Domain::coefficient);
  const Slice y = square ? x : b.input(q, 2, Domain::coefficient, shared ? 1 : program::each);
  const Slice first = b.temporary_like(x, both, 2), second = b.temporary_like(y, both, 2);
  b.composite("hps_lift", {first, second}, {x, y}, {}, [&] {
    const Slice low = first.limbs(0, q), exchanged = second.limbs(q->limbs(), bases.auxiliary);
    b.copy(low, x);
    b.convert(first.limbs(q->limbs(), bases.auxiliary), low, bases.hps.extend);
    b.convert(exchanged, y, bases.hps.exchange);
    b.convert(second.limbs(0, q), exchanged, bases.hps.restore);
  });
  const Slice product = b.temporary(both, 3), parts = b.temporary(q, 3);
  program::multiply_ciphertexts(b, product, first, second);
  program::divide_and_round(b, parts, product.limbs(0, q), product.limbs(q->limbs(), bases.auxiliary), bases.hps.scale);
  program::key_switch(b, out, parts.part(2), bases.key(b), bases.switching, Domain::coefficient, parts.part(0, 2));
  return b.finish();
}

/// BGV: out = a b, relinearised. Operands: out, a, b, key.
inline program::ProgramPtr bgv_product(const Bases& bases) {
  Builder b("bgv product");
  const Slice out = b.output(bases.q, 2, Domain::transform), x = b.input(bases.q, 2, Domain::transform),
              y = b.input(bases.q, 2, Domain::transform), parts = b.temporary(bases.q, 3);
  program::tensor_product(b, parts, x, y);
  program::key_switch(b, out, parts.part(2), bases.key(b), bases.switching, Domain::transform, parts.part(0, 2));
  return b.finish();
}

/// out = a(x^element). Operands: out, a, key.
inline program::ProgramPtr rotation(const Bases& bases, Domain domain, std::uint64_t element) {
  Builder b("rotation");
  const Slice out = b.output(bases.q, 2, domain), a = b.input(bases.q, 2, domain), key = bases.key(b);
  const Slice moved = b.temporary(bases.q, 2);
  b.automorphism(moved, a, element);
  program::key_switch(b, out, moved.part(1), key, bases.switching, domain, moved.part(0));
  return b.finish();
}

/// Under a public key, of one item over all primes. Operands: out, key, message; one seed.
inline program::ProgramPtr encryption(const Bases& bases, Domain domain) {
  Builder b("encryption");
  const RingPtr& ring = bases.encryption_ring;
  const Slice out = b.output(bases.q, 2, domain), whole_key = b.input(bases.all, 2, Domain::transform, 1);
  const Slice key = whole_key.limbs(bases.p->limbs() - 1, ring);
  const Slice message = b.input(bases.plain, 1, Domain::coefficient, program::each, true);
  const std::uint32_t seed = b.seed();
  const Slice text = b.temporary(bases.q, 1), u = b.temporary(ring, 1), error = b.temporary(ring, 2),
              product = b.temporary(ring, 2);
  b.convert(text, message, bases.message_scale);
  b.sample(u, Law::ternary, seed, Stream::encryption_ternary);
  b.sample(error, Law::error, seed, Stream::encryption_error);
  program::multiply_key(b, product, u, key, error);
  program::divide_and_round(b, out, product.limbs(1, bases.q), product.limbs(0, bases.encryption_rounding.dropped),
                            bases.encryption_rounding, text);
  if (domain == Domain::transform) b.forward(out);
  return b.finish();
}

/// BFV. Operands: out, numbers, a, s.
inline program::ProgramPtr bfv_decryption(const Bases& bases) {
  Builder b("bfv decryption");
  const bfv::PlainScale& scale = bases.plain_scale;
  const Slice out = b.output(bases.plain, 1, Domain::coefficient, true), numbers = b.output_numbers();
  const Slice a = b.input(bases.q, 2, Domain::coefficient), s = b.input(bases.q, 1, Domain::transform, 1, true);
  const Slice phase = b.temporary(bases.q, 1);
  program::multiply_key(b, phase, a.part(1), s, a.part(0), program::Operands::kept);
  b.composite("scale_to_plain", {out, numbers}, {phase}, {}, [&] {
    const Slice scaled = b.temporary_like(phase, scale.extended, 1), gamma = scaled.limbs(1, scale.gamma_ring);
    b.convert(scaled, phase, scale.scale);
    b.peaks(numbers, gamma, scale.correction);
    b.convert(out, gamma, scale.correction);
    b.add(out, out, scaled.limbs(0, scale.plain));
  });
  return b.finish();
}

/// BGV. Operands: out, numbers, a, s.
inline program::ProgramPtr bgv_decryption(const Bases& bases) {
  Builder b("bgv decryption");
  const Slice out = b.output(bases.plain, 1, Domain::coefficient, true), numbers = b.output_numbers();
  const Slice a = b.input(bases.q, 2, Domain::transform), s = b.input(bases.q, 1, Domain::transform, 1, true);
  const Slice phase = b.temporary(bases.q, 1);
  b.multiply(phase, a.part(1), s);
  b.add(phase, phase, a.part(0));
  b.inverse(phase);
  program::convert_with_peaks(b, out, numbers, phase, bases.reduction);
  return b.finish();
}

/// An array as an operand for `value`: numbers stand one after another, without the rest of a polynomial.
inline View operand_view(const program::Value& value, View array) {
  if (value.is_numbers()) array.batch_stride = 1;
  return array;
}

inline std::vector<program::ProgramPtr> programs(const Bases& bases) {
  return {bfv_product(bases),
          bfv_product(bases, true),
          bfv_product(bases, false, true),
          bgv_product(bases),
          rotation(bases, Domain::coefficient, 3),
          rotation(bases, Domain::transform, 9),
          encryption(bases, Domain::coefficient),
          encryption(bases, Domain::transform),
          bfv_decryption(bases),
          bgv_decryption(bases)};
}

}  // namespace cyclotome::check
