// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/switching/linear_transform.hpp"
#include "cyclotome/scheme/ckks/encoding.hpp"
#include "cyclotome/scheme/ckks/scheme.hpp"

// What operations on ciphertexts of real numbers do to the numbers, and to what is known of their errors. Operands of
// different levels come to the lower one by themselves; batches are equal or 1, as elsewhere. All throw RangeError for
// results that could leave the modulus or the carrier, NoiseError where no level is left, MismatchError for operands of
// other parameters or another key.
namespace cyclotome::ckks {

/// Ciphertexts, how wrong the numbers in their slots can be, and how large these are. The scale is that of the level.
struct Approximate {
  rlwe::Ciphertext ciphertext;
  Approximation about;

  const Context& context() const { return ckks_context(ciphertext.context()); }
  Level level() const { return ciphertext.level(); }
  double scale() const { return context().scale(level()); }
  /// Of what decryption gives, for every item of the batch.
  Error error() const { return error_of(context().parameters(), about, scale()); }
};

/// Of numbers up to `bound` in magnitude, encoded at the top level's scale.
Approximate encrypt(const rlwe::Plaintext& plaintext, const rlwe::PublicKey& key, double bound);
Approximate encrypt(const rlwe::Plaintext& plaintext, const rlwe::SecretKey& key, double bound);
/// The numbers of all slots, with their errors; for the key's owner alone. Throws what scheme::decrypt does.
Numbers decrypt(const Approximate& a, const rlwe::SecretKey& key);

/// The numbers of all slots for others to see, each off by `precision` at most: flooded by as much as that leaves,
/// whatever bounds say, so that what comes out of one ciphertext is within 2^-flooding_bits of what depends on the
/// exact numbers alone. Counted (rlwe/noise/reveal_budget.hpp). Throws ArgumentError unless flooding_bits lies in [1,
/// 160] and the precision is above 0; NoiseError where the error leaves less, which may be told; BudgetError; and what
/// decrypt does.
Numbers reveal(const Approximate& a, const rlwe::SecretKey& key, double precision, unsigned flooding_bits);

/// A ciphertext with what is known of it, as files have it: its noise is that of the whole phase.
Approximate with_phase(const rlwe::Ciphertext& ciphertext, const Approximation& about, const char* operation);

Approximate add(const Approximate& a, const Approximate& b);
Approximate subtract(const Approximate& a, const Approximate& b);
Approximate negate(const Approximate& a);
/// By a number up to 2^40 that is whole: no level, no further error.
Approximate multiply_whole(const Approximate& a, std::int64_t factor);
/// By any real number: one level, and no plaintext.
Approximate multiply_constant(const Approximate& a, double factor);
/// sum over i of factors[i] terms[i], at the lowest of their levels but one: one rescaling for all. At least one term.
Approximate weighted_sum(std::span<const Approximate* const> terms, std::span<const double> factors);
/// With numbers that are up to `bound` in magnitude, encoded at the scale of a's level.
Approximate add_plain(const Approximate& a, const rlwe::Plaintext& b, double bound);
/// By such numbers, encoded at factor_scale of a's level: one level.
Approximate multiply_plain(const Approximate& a, const rlwe::Plaintext& b, double bound);
/// One level. Takes a relinearisation key (MissingKeyError).
Approximate multiply(const Approximate& a, const Approximate& b, const rlwe::EvaluationKeys& keys);
/// The complex conjugates.
Approximate conjugate(const Approximate& a, const rlwe::EvaluationKeys& keys);
/// Slots move `steps` to the left, around. Composed of powers of two where there is no key (MissingKeyError).
Approximate rotate(const Approximate& a, std::int64_t steps, const rlwe::EvaluationKeys& keys);
/// The sum over i and j of rotate(factors[i][j] rotate(a, inner[j]), outer[i]), rescaled. Factors are encoded at
/// factor_scale of a's level; factor_bound: of any number in them; row_bound: what the result is at most times the
/// bound of a.
Approximate linear_transform(const Approximate& a, const rlwe::RotationGrid& grid,
                             const std::vector<rlwe::ExtendedPlaintext>& factors, double factor_bound, double row_bound,
                             const rlwe::EvaluationKeys& keys);
/// The same numbers at a lower level, at its scale: nothing at its own.
Approximate lowered(const Approximate& a, Level level);

/// Items of the batch, in this order, repeats allowed.
Approximate take(const Approximate& a, std::span<const std::size_t> indices);
/// One batch after the other, at the lowest of their levels.
Approximate concatenate(std::span<const Approximate* const> parts);
/// Groups of neighbours in the batch, each added up.
Approximate sum_groups(const Approximate& a, std::size_t group);

}  // namespace cyclotome::ckks
