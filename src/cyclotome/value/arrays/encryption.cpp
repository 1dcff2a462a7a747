// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/encryption.hpp"

#include <algorithm>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/arrays/announcement.hpp"
#include "cyclotome/value/layout/rows.hpp"

namespace cyclotome::value {

namespace {

/// " at index (1, 0)"; nothing for a scalar.
std::string place_of(const Shape& shape, std::size_t number) {
  if (shape.empty()) return "";
  Shape index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; number /= shape[i]) index[i] = number % shape[i];
  return " at index " + to_string(index);
}

void require_values_within(const Integers& values, const Bound& bound, const rlwe::Parameters& parameters) {
  const BigUnsigned largest = values.largest();
  if (largest > bound.largest()) {
    std::size_t i = 0;
    while (values.magnitude(i) <= bound.largest()) ++i;
    throw RangeError(message("encrypt: value ", shown(values[i]), place_of(values.shape(), i), " is beyond the bound ",
                             shown(bound.largest()), "; pass bound= for larger values (these parameters hold up to ",
                             shown(capacity(parameters)),
                             "), or take wider parameters: suggest(value_bits=", largest.bit_length(), ", ...)"));
  }
  if (const std::size_t i = first_outside(values, bound.values()); i != values.size()) {
    const bool below_zero = values[i].negative && !bound.values().low.negative;
    throw RangeError(message("encrypt: value ", shown(values[i]), place_of(values.shape(), i), " is ",
                             below_zero ? "below 0" : message("not ", shown(bound.values())),
                             "; state a bound that holds it, as bound=", shown(bound.largest()), " for either sign"));
  }
  const BigUnsigned row = values.ndim() == 0 ? largest : values.largest_sum(values.ndim() - 1);
  if (row > bound.row()) {
    throw RangeError(message("encrypt: magnitudes along the last axis add up to ", shown(row),
                             ", which is beyond the l1_bound ", shown(bound.row())));
  }
}

bool has_bound(const Encryption& how) { return how.bound || how.interval || how.l1_bound; }

/// Of parameters with plaintext modulus 2 that have no field.
void require_bits(const Integers& values) {
  const std::size_t found = first_wider_than(values, 1);
  if (found == values.size()) return;
  throw RangeError(
      message("encrypt: value ", shown(values[found]), place_of(values.shape(), found),
              " is no bit; these parameters hold bits, 0 and 1, and with wrap=True any integers modulo 2"));
}

/// Bits, or all elements.
void require_elements(const Integers& values, bool all, const BinaryField& field) {
  const std::size_t found = first_wider_than(values, all ? field.degree() : 1);
  if (found == values.size()) return;
  throw RangeError(message("encrypt: value ", shown(values[found]), place_of(values.shape(), found),
                           all ? message(" is no element of GF(2^", field.degree(),
                                         "), which are the whole numbers from 0 to ", field.order())
                               : message(" is no bit; these parameters hold bits, 0 and 1, and by encoding='field' ",
                                         "(wrap in C++) elements of GF(2^", field.degree(), ")")));
}

/// RangeError for one beyond the capacity of the parameters.
Interval stated_interval(const Encryption& how, const BigUnsigned& most) {
  if (how.interval && (how.bound || how.from_zero || how.interval->low > how.interval->high)) {
    throw ArgumentError(message("encrypt: values ", shown(*how.interval), "; the least of an interval comes first, ",
                                "and it stands in place of a bound"));
  }
  const BigUnsigned largest = how.interval ? how.interval->largest() : how.bound.value_or(most);
  if (largest > most) {
    throw RangeError(message("encrypt: bound ", shown(largest), " is more than these parameters hold, ", shown(most),
                             " in either direction; take wider ones: suggest(value_bits=", largest.bit_length(),
                             ", ...)"));
  }
  if (how.interval) return *how.interval;
  return how.from_zero ? Interval{0, Integer(largest)} : Interval::around_zero(largest);
}

/// Of bits, of integers that wrap around or are elements of a field, and of rows of so many others.
Bound stated_bound(std::size_t length, const Encryption& how, const rlwe::Parameters& parameters) {
  if (const FieldSlotsPtr& slots = parameters.field_slots(); slots != nullptr && has_bound(how)) {
    throw ArgumentError(
        message("encrypt: bits and elements of GF(2^", slots->field().degree(), ") have no bound; leave it out"));
  }
  if (holds_bits(parameters) && has_bound(how)) {
    throw ArgumentError("encrypt: bits, and integers modulo 2, have no bound; leave it out");
  }
  if (how.wrap && has_bound(how)) {
    throw ArgumentError("encrypt: bound= and wrap=True exclude each other: values that wrap around have no bound");
  }
  if (how.wrap) return Bound::wrapping();
  if (parameters.field_slots() != nullptr || holds_bits(parameters)) return Bound::bits();
  return {stated_interval(how, capacity(parameters)), length, how.l1_bound};
}

/// That values are what is stated.
void require_stated(const Integers& values, const Encryption& how, const Bound& bound,
                    const rlwe::Parameters& parameters) {
  if (parameters.field_slots() != nullptr) {
    require_elements(values, how.wrap, parameters.field_slots()->field());
  } else if (holds_bits(parameters)) {
    if (!how.wrap) require_bits(values);
  } else if (!how.wrap) {
    require_values_within(values, bound, parameters);
  }
}

/// That some values are: a row of those next to 0.
void require_possible(const Shape& shape, const Encryption& how, const Bound& bound,
                      const rlwe::Parameters& parameters) {
  if (!how.interval || !how.l1_bound) return;
  const Integer nearest = std::min(std::max(Integer(0), how.interval->low), how.interval->high);
  if (nearest == Integer(0)) return;
  Shape row(shape.size(), 1);
  if (!row.empty()) row.back() = shape.back();
  const std::vector<Integer> values(count_of(row), nearest);
  require_values_within({row, values}, bound, parameters);
}

Layout layout_of(const Shape& shape, const Encryption& how, const rlwe::Context& context) {
  const bool slots = context.parameters().has_slots();
  const Placement usual = context.parameters().slots_by_default() ? Placement::slots : Placement::coefficients;
  Placement placement = how.placement.value_or(usual);
  if (placement == Placement::coefficients && !context.parameters().has_coefficients()) {
    throw ParameterError(
        message("encrypt: coefficients modulo ", context.parameters().ring()->modulus(), " are not those of powers of ",
                "x, so arrays lie in slots: take plaintext modulus 2, or primes congruent to 1 modulo ",
                context.parameters().ring()->slot_condition()));
  }
  if (how.placement == Placement::slots && !slots) {
    throw ArgumentError(
        message("encrypt: the plaintext moduli of ", context.parameters().summary(), " have no slots at degree ",
                context.degree(), "; they must be primes congruent to 1 modulo ",
                context.parameters().ring()->slot_condition(), ". Use encoding='coefficients' or other parameters"));
  }
  if (shape.empty()) placement = Placement::replicated;
  return {shape, Widths(context.parameters()), placement};
}

Bound bound_for(const Shape& shape, const Encryption& how, const rlwe::Parameters& parameters) {
  if (std::ranges::count(shape, 0U) != 0) {
    throw ArgumentError(message("encrypt: shape ", to_string(shape), " holds no values"));
  }
  return stated_bound(shape.empty() ? 1 : shape.back(), how, parameters);
}

/// plaintexts: by channel and piece. Under the secret key in one piece, so that a single seed stands for all uniform
/// halves.
template <class Key, class Plaintexts>
EncryptedArray encrypted(const Layout& layout, const Bound& bound, const Key& key, const Plaintexts& plaintexts,
                         const Options& options, bool whole, const Keyring& keys) {
  const rlwe::ContextPtr& context = key.context();
  announce_fresh("encrypt", *context, layout,
                 whole ? 1.5 : 1.0);  // pieces are joined; a whole channel is masked at once
  const auto fresh = [&](std::size_t channel, const Piece& piece) {
    return scheme::encrypt(plaintexts(channel, piece), key);
  };
  Placed placed{in_pieces("encrypting", context, layout.batch(), fresh, options, whole), layout};
  require_decryptable("encrypt", placed.channels, options);
  return {std::move(placed), bound, keys};
}

template <class Key>
EncryptedArray encrypted(const Integers& values, const Key& key, const Encryption& how, const Options& options,
                         bool whole, const Keyring& keys) {
  const rlwe::ContextPtr& context = key.context();
  const Bound bound = bound_for(values.shape(), how, context->parameters());
  require_stated(values, how, bound, context->parameters());
  const Layout layout = layout_of(values.shape(), how, *context);
  const Rows rows(layout, values);
  const auto plaintexts = [&](std::size_t channel, const Piece& piece) {
    return rows.encoded(context, channel, piece);
  };
  return encrypted(layout, bound, key, plaintexts, options, whole, keys);
}

/// What an engine that only keeps account takes of main memory for a ciphertext, about.
constexpr double accounted_bytes = 256;

}  // namespace

EncryptedArray encrypt(const Integers& values, const rlwe::PublicKey& key, const Encryption& how,
                       const Options& options) {
  return encrypted(values, key, how, options, false, key);
}

EncryptedArray encrypt(const Integers& values, const rlwe::SecretKey& key, const Encryption& how,
                       const Options& options) {
  return encrypted(values, key, how, options, true, {});
}

EncryptedArray encrypt_shape(const Shape& shape, const rlwe::PublicKey& key, const Encryption& how,
                             const Options& options) {
  const rlwe::ContextPtr& context = key.context();
  const Bound bound = bound_for(shape, how, context->parameters());
  require_possible(shape, how, bound, context->parameters());
  const Layout layout = layout_of(shape, how, *context);
  const double bytes = accounted_bytes * static_cast<double>(layout.batch()) *
                       static_cast<double>(context->parameters().plain_moduli().size());
  require_main_memory("encrypt: an account", static_cast<std::uint64_t>(std::min(bytes, 0x1p62)));
  const auto zeros = [&](std::size_t channel, const Piece& piece) {
    const rlwe::PlainIndex plain(channel);
    PolyArray polynomials =
        context->make(context->plain_ring(plain), piece.stop - piece.start, 1, Domain::coefficient, true);
    context->engine()->clear(polynomials.view());
    return rlwe::Plaintext(context, plain, std::move(polynomials));
  };
  return encrypted(layout, bound, key, zeros, options, false, key);
}

}  // namespace cyclotome::value
