// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/field_rotations.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace cyclotome::value {

namespace {

using Dimension = FieldSlots::Dimension;

const FieldSlots& slots_of(const char* operation, const rlwe::Parameters& parameters) {
  if (parameters.field_slots() != nullptr) return *parameters.field_slots();
  throw UnsupportedError(message(operation, ": ", parameters.summary(), " hold integers; bits and elements of GF(2^r) ",
                                 "take plaintext modulus 2 over Phi_m: Parameters.suggest(bits=True)"));
}

std::uint64_t power_of(const rlwe::EvaluationKeys& keys, std::uint64_t element, std::size_t exponent) {
  return keys.context()->galois().power(element, static_cast<std::int64_t>(exponent));
}

/// The automorphism of element^exponent: at once if there is a key, or by powers of two.
Channels turned(const char* operation, const Channels& a, std::uint64_t element, std::size_t exponent,
                const rlwe::EvaluationKeys& keys, const Options& options) {
  if (const std::uint64_t whole = power_of(keys, element, exponent); exponent != 0 && keys.has_galois(whole)) {
    return apply_galois(a, {whole}, keys, options).front();
  }
  Channels result = a;
  for (std::size_t step = 1; step <= exponent; step *= 2) {
    if ((exponent & step) == 0) continue;
    const std::uint64_t part = power_of(keys, element, step);
    if (!keys.has_galois(part)) {
      throw MissingKeyError(message(operation, ": there is no key for Galois element ", part,
                                    "; generate keys with those that keygen makes unless told otherwise"));
    }
    result = apply_galois(result, {part}, keys, options).front();
  }
  return result;
}

/// Times a mask: 1 where the coordinate along a dimension is below `end`, or not below.
Channels masked(const Channels& a, const FieldSlots& slots, std::size_t dimension, std::size_t end, bool below) {
  std::size_t stride = 1;
  for (std::size_t i = dimension + 1; i < slots.dimensions().size(); ++i) stride *= slots.dimensions()[i].length;
  std::vector<std::int64_t> mask(slots.count());
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = (i / stride % slots.dimensions()[dimension].length < end) == below ? 1 : 0;
  }
  Channels result;
  for (const Ciphertext& channel : a) {
    result.push_back(rlwe::multiply_plain(
        channel, encode_residues(channel.context(), channel.plain(), Encoding::Kind::slots, mask, 1, mask.size())));
  }
  return result;
}

Channels added(const Channels& a, const Channels& b) {
  Channels result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(scheme::add(a[i], b[i]));
  return result;
}

/// steps below the dimension's length. What wraps around is what the automorphism of generator^(steps - length) brings.
Channels rolled(const char* operation, const Channels& a, std::size_t number, std::size_t steps,
                const rlwe::EvaluationKeys& keys, const Options& options) {
  const FieldSlots& slots = *keys.context()->parameters().field_slots();
  const Dimension& dimension = slots.dimensions()[number];
  if (steps == 0) return a;
  const Channels moved = turned(operation, a, dimension.generator, steps, keys, options);
  if (dimension.cyclic) return moved;
  const GaloisGroup& group = keys.context()->galois();
  const std::uint64_t back = group.power(dimension.generator, -static_cast<std::int64_t>(dimension.length));
  const std::uint64_t directly = group.product(power_of(keys, dimension.generator, steps), back);
  const Channels wrapped = keys.has_galois(directly) ? apply_galois(a, {directly}, keys, options).front()
                                                     : turned(operation, moved, back, 1, keys, options);
  const std::size_t end = dimension.length - steps;
  return added(masked(moved, slots, number, end, true), masked(wrapped, slots, number, end, false));
}

const rlwe::EvaluationKeys& keys_for(const char* operation, const EncryptedArray& x) {
  if (!x.layout().slots() || !x.layout().full()) {
    throw ArgumentError(message(operation,
                                " takes a packed array whose last axis fills its ciphertexts, a multiple of ",
                                x.layout().width(), " values; this one has shape ", to_string(x.shape()), ", ",
                                to_string(x.layout().placement()), ". x.padded() fills it up"));
  }
  return x.keys().require_evaluation(operation);
}

}  // namespace

EncryptedArray roll(const EncryptedArray& x, std::int64_t dimension, std::int64_t steps, const Options& options) {
  const FieldSlots& slots = slots_of("roll", x.parameters());
  const auto count = static_cast<std::int64_t>(slots.dimensions().size());
  if (dimension < -count || dimension >= count) {
    throw ArgumentError(message("roll: dimension ", dimension, " of slots that have ", count));
  }
  const auto number = static_cast<std::size_t>(dimension < 0 ? dimension + count : dimension);
  const rlwe::EvaluationKeys& keys = keys_for("roll", x);
  const auto length = static_cast<std::int64_t>(slots.dimensions()[number].length);
  const auto step = static_cast<std::size_t>((steps % length + length) % length);
  return finished("roll", {rolled("roll", x.channels(), number, step, keys, options), x.layout()}, x.bound(), x.keys(),
                  options);
}

EncryptedArray frobenius(const EncryptedArray& x, std::int64_t power, const Options& options) {
  const auto degree = static_cast<std::int64_t>(slots_of("frobenius", x.parameters()).field().degree());
  const auto step = static_cast<std::size_t>((power % degree + degree) % degree);
  if (x.bound().is_bits() || step == 0) return x;
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("frobenius");
  return finished("frobenius", {turned("frobenius", x.channels(), 2, step, keys, options), x.layout()}, x.bound(),
                  x.keys(), options);
}

EncryptedArray trace(const EncryptedArray& x, const Options& options) {
  const unsigned degree = slots_of("trace", x.parameters()).field().degree();
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("trace");
  // sum holds x^(2^i) for i < terms.
  Channels sum = x.channels();
  std::size_t terms = 1;
  for (unsigned bit = bit_length(degree) - 1; bit-- > 0;) {
    sum = added(sum, turned("trace", sum, 2, terms, keys, options));
    terms *= 2;
    if ((degree >> bit & 1) == 0) continue;
    sum = added(turned("trace", sum, 2, 1, keys, options), x.channels());
    ++terms;
  }
  return finished("trace", {std::move(sum), x.layout()}, Bound::bits(), x.keys(), options);
}

std::vector<std::uint64_t> field_elements(const FieldSlots& slots, const GaloisGroup& group) {
  std::vector<std::uint64_t> elements;
  for (const Dimension& dimension : slots.dimensions()) {
    for (std::size_t step = 1; step < dimension.length; step *= 2) {
      elements.push_back(group.power(dimension.generator, static_cast<std::int64_t>(step)));
    }
    if (!dimension.cyclic && dimension.length > 1) {
      elements.push_back(group.power(dimension.generator, -static_cast<std::int64_t>(dimension.length)));
    }
  }
  for (std::size_t step = 1; step < slots.field().degree(); step *= 2) {
    elements.push_back(group.power(2, static_cast<std::int64_t>(step)));
  }
  return elements;
}

std::vector<std::uint64_t> slot_elements(const rlwe::Parameters& parameters) {
  const GaloisGroup& group = parameters.ring()->galois();
  if (parameters.field_slots() != nullptr) return field_elements(*parameters.field_slots(), group);
  std::vector<std::uint64_t> elements;
  for (const GaloisGroup::Generator& generator : group.generators()) {
    if (!parameters.has_slots() || !is_power_of_two(generator.order)) continue;
    for (const std::uint64_t element : rlwe::doublings(group, generator)) elements.push_back(element);
  }
  return elements;
}

Channels sum_field_slots(const Channels& a, const rlwe::EvaluationKeys& keys, const Options& options) {
  const auto& dimensions = keys.context()->parameters().field_slots()->dimensions();
  Channels result = a;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Channels one = result;
    std::size_t terms = 1;
    for (unsigned bit = bit_length(dimensions[i].length) - 1; bit-- > 0;) {
      result = added(result, rolled("sum over slots", result, i, terms, keys, options));
      terms *= 2;
      if ((dimensions[i].length >> bit & 1) == 0) continue;
      result = added(rolled("sum over slots", result, i, 1, keys, options), one);
      ++terms;
    }
  }
  return result;
}

}  // namespace cyclotome::value
