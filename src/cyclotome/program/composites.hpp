// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/program/builder.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"

// Composites that belong to no scheme: how each is written into a program, and, for engines that compute it at once,
// how it is read out of one. A reader answers nothing for a composite that is not what its writer writes, whatever its
// name. Outs and ins come in the order of the writer's arguments; places there are what a native is given.
namespace cyclotome::program {

/// out (x.parts + y.parts - 1 parts) = product of two ciphertexts as polynomials in the secret key; transforms.
void tensor_product(Builder& b, const Slice& out, const Slice& x, const Slice& y);
bool is_tensor_product(const Program& program, const Composite& composite);

/// The same of coefficients; x and y, temporaries, are used up. y may be x.
void multiply_ciphertexts(Builder& b, const Slice& out, const Slice& x, const Slice& y);
bool is_multiply_ciphertexts(const Program& program, const Composite& composite);

/// out (parts of key) = a key + addend, all coefficients except key. a has one part; where it is not used up, it is
/// copied first.
enum class Operands : bool { kept, used_up };
void multiply_key(Builder& b, const Slice& out, const Slice& a, const Slice& key, const Slice& addend,
                  Operands after = Operands::used_up);
bool is_multiply_key(const Program& program, const Composite& composite);

/// out (over q) = round(a / P) + addend: `kept` are a's limbs over q, in either domain, `dropped` those over P in
/// coefficients. The addend may have fewer parts.
void divide_and_round(Builder& b, const Slice& out, const Slice& kept, const Slice& dropped, const DivideAndRound& step,
                      const std::optional<Slice>& addend = std::nullopt);
std::optional<DivideAndRound> read_divide_and_round(const Program& program, const Composite& composite);

/// out = conversion of a, one part, by a centred lift; numbers: its peaks.
void convert_with_peaks(Builder& b, const Slice& out, const Slice& numbers, const Slice& a,
                        const BaseConversion& conversion);
const BaseConversion* read_convert_with_peaks(const Program& program, const Composite& composite);

// --- key switching, from its whole to its parts ----------------------------------------------------------------------
/// out (2 parts over q, in `domain`) = addend + round((sum over j of [c]_{D_j} key_j) / P). c: one part over q in
/// either domain, or in coefficients over the first primes, those of the constants' digits; key: the digits of a key as
/// items, of 2 parts over P q, transforms, of which the first ones are used; addend: 1 or 2 parts over q in `domain`.
void key_switch(Builder& b, const Slice& out, const Slice& c, const Slice& key, const KeySwitchConstants& constants,
                Domain domain, const std::optional<Slice>& addend = std::nullopt);
std::optional<KeySwitchConstants> read_key_switch(const Program& program, const Composite& composite);

/// out (parts of key) = sum over j of digits.part(j) key.item(j); transforms.
void key_switch_product(Builder& b, const Slice& out, const Slice& digits, const Slice& key);
bool is_key_switch_product(const Program& program, const Composite& composite);

/// The same of two rows of terms with several rows of weights, each of items of one part: parts 2i and 2i + 1 of out =
/// sum over j of first.part(j) weights[i].item(j), and of second.part(j).
void weighted_sums(Builder& b, const Slice& out, const Slice& first, const Slice& second,
                   std::span<const Slice> weights);
bool is_weighted_sums(const Program& program, const Composite& composite);

/// out (parts of key) = sum over j of digits.part(j)(x^element) key_j, of digits over P q and the first ones of a key.
void turned_product(Builder& b, const Slice& out, const Slice& digits, const Slice& key, std::uint64_t element);
/// The element.
std::optional<std::uint64_t> read_turned_product(const Program& program, const Composite& composite);

/// out (2 parts over q, in `domain`) = a key switch of c(x^element) from the digits of c: body(x^element) in the first
/// part plus round(turned_product / P). body: one part over q in `domain`.
void turned_switch(Builder& b, const Slice& out, const Slice& body, const Slice& digits, const Slice& key,
                   std::uint64_t element, const KeySwitchConstants& constants, Domain domain);
struct TurnedSwitch {
  std::uint64_t element;
  KeySwitchConstants constants;  ///< without digits, which are an operand
};
std::optional<TurnedSwitch> read_turned_switch(const Program& program, const Composite& composite);

/// digits (one part over P q for each) = those of c, one part over q, transformed. An automorphism of them is the
/// digits of that automorphism of c (hoisting).
void extend_digits(Builder& b, const Slice& digits, const Slice& c, const KeySwitchConstants& constants);
/// out (over q, in `domain`) = round(product / P) + addend, of as many parts, transforms over P q that are used up.
void divide_product(Builder& b, const Slice& out, const Slice& product, const KeySwitchConstants& constants,
                    Domain domain, const std::optional<Slice>& addend = std::nullopt);

/// A key switch and a division by the last primes of q, in one.
struct SwitchAndDrop {
  KeySwitchConstants key_switch;  ///< without its own division; with special primes
  DivideAndRound division;        ///< by P and the primes that go, in this order
};
/// out (2 parts over the primes that stay) = round((P addend + sum over j of [c]_{D_j} key_j) / (P q'')), q'' the
/// primes that go; transforms. c and key as for key_switch; addend: 2 parts over q. The sum is one over P q, in which P
/// times the addend is a term as any other: what is divided is one polynomial, and rounded once.
void key_switch_and_drop(Builder& b, const Slice& out, const Slice& c, const Slice& key, const SwitchAndDrop& constants,
                         const Slice& addend);
std::optional<SwitchAndDrop> read_key_switch_and_drop(const Program& program, const Composite& composite);
/// P modulo each prime of q.
std::vector<std::uint64_t> special_product(const KeySwitchConstants& constants);

}  // namespace cyclotome::program
