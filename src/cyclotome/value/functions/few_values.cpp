// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/few_values.hpp"

#include <algorithm>
#include <limits>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/value/functions/evaluation.hpp"
#include "cyclotome/value/layout/slots.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

void require_integers(const char* operation, const EncryptedArray& x) {
  require_slots(operation, x.layout());
  if (x.parameters().field_slots() != nullptr) {
    throw UnsupportedError(message(operation, " of bits and elements of GF(2^r): it takes encrypted integers; bits ",
                                   "have & | ^ and the circuits"));
  }
}

/// The results for one channel, piece by piece.
std::vector<Ciphertext> results_of(const ChannelFunction& function, std::size_t count, const Ciphertext& channel,
                                   const rlwe::EvaluationKeys& keys, Task& task, const Options& options) {
  std::vector<std::vector<Ciphertext>> made(count);
  for (const Piece& piece : pieces(channel.batch(), *channel.context()->engine())) {
    std::vector<Ciphertext> results = function.compute(part(channel, piece), keys, options);
    for (std::size_t i = 0; i < results.size(); ++i) made[i].push_back(std::move(results[i]));
    task.advance(piece.stop - piece.start);
  }
  std::vector<Ciphertext> joined;
  for (const std::vector<Ciphertext>& parts : made) {
    std::vector<const Ciphertext*> pointers;
    for (const Ciphertext& part : parts) pointers.push_back(&part);
    joined.push_back(parts.size() == 1 ? parts.front() : scheme::concatenate(pointers));
  }
  return joined;
}

}  // namespace

std::optional<Range> range_of(const Bound& bound) {
  if (bound.wraps() || bound.largest() > BigUnsigned(most_values)) return std::nullopt;
  const auto small = [](const Integer& value) {
    const auto magnitude = static_cast<std::int64_t>(value.magnitude.mod(most_values + 1));
    return value.negative ? -magnitude : magnitude;
  };
  const Range range{small(bound.values().low), small(bound.values().high)};
  return range.count() > most_values ? std::nullopt : std::optional(range);
}

void require_distinct(const char* operation, const Range& range, const rlwe::Parameters& parameters) {
  for (const std::uint64_t t : parameters.plain_moduli()) {
    if (is_prime(t) && range.count() <= t) continue;
    if (range.count() >= std::size_t{1} << 60) {
      throw RangeError(message(operation, ": 2^60 values or more are not told apart modulo ", t,
                               "; state a tighter bound, or compute on digits"));
    }
    throw RangeError(message(operation, ": the ", range.count(), " values from ", range.low, " to ", range.high,
                             " are not told apart modulo ", t, "; take plaintext moduli that are primes above ",
                             range.count(), ", state a tighter bound, or compute on digits"));
  }
}

std::vector<EncryptedArray> computed(const EncryptedArray& given, const Computation& computation,
                                     const Options& options) {
  const char* const operation = computation.operation;
  const auto headroom = [&](const EncryptedArray& x) {
    double least = std::numeric_limits<double>::infinity();
    for (const Ciphertext& channel : x.channels()) {
      least = std::min(least, computation.function(channel).headroom(channel));
    }
    return least;
  };
  const EncryptedArray x = options.refresh_operands ? with_room_for(operation, given, options, headroom) : given;
  require_integers(operation, x);
  for (const Bound& bound : computation.bounds) require_within(operation, bound, x.parameters());
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation(operation);
  Task task(options, operation, x.layout().batch() * x.channels().size());
  std::vector<Channels> results(computation.bounds.size());
  for (const Ciphertext& channel : x.channels()) {
    std::vector<Ciphertext> made =
        results_of(computation.function(channel), results.size(), channel, keys, task, options);
    for (std::size_t i = 0; i < made.size(); ++i) results[i].push_back(std::move(made[i]));
  }
  const bool clean = x.layout().clean() && (computation.keeps_zero || x.layout().full());
  std::vector<EncryptedArray> arrays;
  for (std::size_t i = 0; i < results.size(); ++i) {
    arrays.push_back(finished(operation, {std::move(results[i]), x.layout().with_clean(clean || !x.layout().packed())},
                              computation.bounds[i], x.keys(), options));
  }
  return arrays;
}

ChannelFunction by_plan(FunctionPlanPtr plan) {
  const auto headroom = [plan](const Ciphertext& x) { return headroom_after(plan->plan, x); };
  return {[plan = std::move(plan)](const Ciphertext& x, const rlwe::EvaluationKeys& keys, const Options& options) {
            return evaluate(plan->plan, x, keys, options);
          },
          headroom};
}

EncryptedArray with_bound(const EncryptedArray& x, const Bound& bound) { return x.with_bound(bound); }

EncryptedArray without_bound(const EncryptedArray& x) { return with_bound(x, Bound::wrapping()); }

Bound bound_of_masks(std::size_t length) { return Bound(1, length).from_zero(); }

PlainModulus modulus_of(const Ciphertext& channel) { return PlainModulus(channel.plain_modulus().value); }

std::vector<std::uint64_t> residues_of(std::span<const std::int64_t> values, const PlainModulus& t) {
  std::vector<std::uint64_t> result;
  for (const std::int64_t value : values) result.push_back(t.reduce_signed(value));
  return result;
}

std::vector<std::uint64_t> points_of(const Range& range, const PlainModulus& t) {
  std::vector<std::uint64_t> result;
  for (std::int64_t value = range.low; value <= range.high; ++value) result.push_back(t.reduce_signed(value));
  return result;
}

FunctionPlanPtr plan_of_values(const Range& range, std::span<const std::vector<std::int64_t>> values,
                               const PlainModulus& t) {
  FunctionKey key{FunctionKey::Kind::values, t.value(), range.low, range.high};
  for (const auto& each : values) key.values.insert(key.values.end(), each.begin(), each.end());
  return kept_plan(std::move(key), [&] {
    const std::vector<std::uint64_t> points = points_of(range, t);
    std::vector<ResiduePolynomial> polynomials;
    for (const auto& each : values) polynomials.push_back(interpolated(points, residues_of(each, t), t));
    return FunctionPlan{evaluation_plan(polynomials, t, {vanishing(points, t)})};
  });
}

}  // namespace cyclotome::value
