// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "cyclotome/value/arrays/encrypted_array.hpp"
#include "cyclotome/value/functions/plan_cache.hpp"

// Functions of values that are few, or live modulo a small prime, as polynomials: what comparisons and tables are made
// of. A bound says how few.
namespace cyclotome::value {

/// Whole numbers from `low` to `high`, both included.
struct Range {
  std::int64_t low = 0, high = 0;
  std::size_t count() const noexcept { return static_cast<std::size_t>(high - low) + 1; }
};

/// The most values that a polynomial is interpolated through.
inline constexpr std::size_t most_values = std::size_t{1} << 14;

/// What the bound says, if it says that there are at most most_values values.
std::optional<Range> range_of(const Bound& bound);

/// Throws RangeError unless all plaintext moduli are primes that tell these values apart.
void require_distinct(const char* operation, const Range& range, const rlwe::Parameters& parameters);

/// Computes with a piece of one channel: results of two parts.
struct ChannelFunction {
  std::function<std::vector<Ciphertext>(const Ciphertext&, const rlwe::EvaluationKeys&, const Options&)> compute;
  /// The least noise headroom of its results.
  std::function<double(const Ciphertext&)> headroom;
};
/// The polynomials of a plan.
ChannelFunction by_plan(FunctionPlanPtr plan);

/// Functions of values, of which this is known.
struct Computation {
  const char* operation;
  std::function<ChannelFunction(const Ciphertext& channel)> function;  ///< by channel, whose plaintext modulus it is
  std::vector<Bound> bounds;                                           ///< of each result
  bool keeps_zero = false;                                             ///< whether they are 0 at 0
};
/// The results, of x's shape. Throws UnsupportedError for values in coefficients and elements of a field,
/// MissingKeyError, NoiseError.
std::vector<EncryptedArray> computed(const EncryptedArray& x, const Computation& computation, const Options& options);

/// The same values under another bound, that of a result whose operands' bounds say less; or under none, where it is
/// known that what wraps around on the way comes back.
EncryptedArray with_bound(const EncryptedArray& x, const Bound& bound);
EncryptedArray without_bound(const EncryptedArray& x);
/// Of what is 0 or 1, in rows of `length`.
Bound bound_of_masks(std::size_t length);
PlainModulus modulus_of(const Ciphertext& channel);

/// The residues of whole numbers.
std::vector<std::uint64_t> residues_of(std::span<const std::int64_t> values, const PlainModulus& t);
/// low, ..., high modulo t.
std::vector<std::uint64_t> points_of(const Range& range, const PlainModulus& t);

/// The polynomials that have values[i][k] at range.low + k, with fewest products for all of them together. Kept.
FunctionPlanPtr plan_of_values(const Range& range, std::span<const std::vector<std::int64_t>> values,
                               const PlainModulus& t);

}  // namespace cyclotome::value
