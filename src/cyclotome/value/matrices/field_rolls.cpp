// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrices/field_rolls.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/registry.hpp"

namespace cyclotome::value {

namespace {

using Dimension = FieldSlots::Dimension;

std::uint64_t power_of(const rlwe::EvaluationKeys& keys, std::uint64_t element, std::size_t exponent) {
  return keys.context()->galois().power(element, static_cast<std::int64_t>(exponent));
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

}  // namespace

Channels added(const Channels& a, const Channels& b) {
  Channels result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(scheme::add(a[i], b[i]));
  return result;
}

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
  if (parameters.field_slots() != nullptr) {
    return field_elements(*parameters.field_slots(), parameters.ring()->galois());
  }
  const GaloisGroup& group = parameters.slot_ring()->galois();
  std::vector<std::uint64_t> elements;
  for (const GaloisGroup::Generator& generator : group.generators()) {
    const bool slots = parameters.has_slots() || scheme::holds_reals(parameters);
    if (!slots || !is_power_of_two(generator.order)) continue;
    for (const std::uint64_t element : rlwe::doublings(group, generator)) elements.push_back(element);
  }
  return elements;
}

Channels sum_of_slots(const Channels& a, const rlwe::EvaluationKeys& keys, const Options& options) {
  if (keys.context()->parameters().field_slots() == nullptr) return sum_slots(a, keys, options);
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
