// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrices/field_rotations.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/matrices/field_rolls.hpp"

namespace cyclotome::value {

namespace {

const FieldSlots& slots_of(const char* operation, const rlwe::Parameters& parameters) {
  if (parameters.field_slots() != nullptr) return *parameters.field_slots();
  throw UnsupportedError(message(operation, ": ", parameters.summary(), " hold integers; bits and elements of GF(2^r) ",
                                 "take plaintext modulus 2 over Phi_m: Parameters.suggest(bits=True)"));
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
  const auto r = static_cast<std::int64_t>(slots_of("frobenius", x.parameters()).field().degree());
  const auto step = static_cast<std::size_t>((power % r + r) % r);
  if (x.bound().is_bits() || step == 0) return x;
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("frobenius");
  return switched("frobenius", {turned("frobenius", x.channels(), 2, step, keys, options), x.layout()}, x.bound(),
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

}  // namespace cyclotome::value
