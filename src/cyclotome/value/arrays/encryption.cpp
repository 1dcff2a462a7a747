// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/encryption.hpp"

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

/// Of parameters with plaintext modulus 2 that have no field: bits, or integers that wrap around.
Bound stated_modulo_2(const Integers& values, const Encryption& how) {
  if (how.bound || how.interval || how.l1_bound) {
    throw ArgumentError("encrypt: bits, and integers modulo 2, have no bound; leave it out");
  }
  if (how.wrap) return Bound::wrapping();
  const std::size_t found = first_wider_than(values, 1);
  if (found == values.size()) return Bound::bits();
  throw RangeError(
      message("encrypt: value ", shown(values[found]), place_of(values.shape(), found),
              " is no bit; these parameters hold bits, 0 and 1, and with wrap=True any integers modulo 2"));
}

/// Bits, or elements of the field by wrap.
Bound stated_in_field(const Integers& values, const Encryption& how, const BinaryField& field) {
  if (how.bound || how.interval || how.l1_bound) {
    throw ArgumentError(
        message("encrypt: bits and elements of GF(2^", field.degree(), ") have no bound; leave it out"));
  }
  const unsigned degree = how.wrap ? field.degree() : 1;
  const std::size_t found = first_wider_than(values, degree);
  if (found == values.size()) return how.wrap ? Bound::wrapping() : Bound::bits();
  throw RangeError(message(
      "encrypt: value ", shown(values[found]), place_of(values.shape(), found),
      how.wrap ? message(" is no element of GF(2^", degree, "), which are the whole numbers from 0 to ", field.order())
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

Bound stated_bound(const Integers& values, const Encryption& how, const rlwe::Parameters& parameters) {
  if (parameters.field_slots() != nullptr) return stated_in_field(values, how, parameters.field_slots()->field());
  if (holds_bits(parameters)) return stated_modulo_2(values, how);
  if (how.wrap) {
    if (how.bound || how.interval || how.l1_bound) {
      throw ArgumentError("encrypt: bound= and wrap=True exclude each other: values that wrap around have no bound");
    }
    return Bound::wrapping();
  }
  const Bound bound(stated_interval(how, capacity(parameters)), values.length(), how.l1_bound);
  require_values_within(values, bound, parameters);
  return bound;
}

Layout layout_of(const Integers& values, const Encryption& how, const rlwe::Context& context) {
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
  if (values.ndim() == 0) placement = Placement::replicated;
  return {values.shape(), Widths(context.parameters()), placement};
}

/// Under the secret key in one piece, so that a single seed stands for all uniform halves.
template <class Key>
EncryptedArray encrypted(const Integers& values, const Key& key, const Encryption& how, const Options& options,
                         bool whole, const Keyring& keys) {
  if (values.size() == 0)
    throw ArgumentError(message("encrypt: shape ", to_string(values.shape()), " holds no values"));
  const rlwe::ContextPtr& context = key.context();
  const Bound bound = stated_bound(values, how, context->parameters());
  const Layout layout = layout_of(values, how, *context);
  announce_fresh("encrypt", *context, layout,
                 whole ? 1.5 : 1.0);  // pieces are joined; a whole channel is masked at once
  const Rows rows(layout, values);
  const auto fresh = [&](std::size_t channel, const Piece& piece) {
    return scheme::encrypt(rows.encoded(context, channel, piece), key);
  };
  Placed placed{in_pieces("encrypting", context, layout.batch(), fresh, options, whole), layout};
  require_decryptable("encrypt", placed.channels, options);
  return {std::move(placed), bound, keys};
}

}  // namespace

EncryptedArray encrypt(const Integers& values, const rlwe::PublicKey& key, const Encryption& how,
                       const Options& options) {
  return encrypted(values, key, how, options, false, key);
}

EncryptedArray encrypt(const Integers& values, const rlwe::SecretKey& key, const Encryption& how,
                       const Options& options) {
  return encrypted(values, key, how, options, true, {});
}

}  // namespace cyclotome::value
