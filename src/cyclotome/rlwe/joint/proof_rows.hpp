// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/rlwe/joint/threshold_keys.hpp"

// The rows that a proof of a second share is about (share_proof.hpp). This header is not installed.
namespace cyclotome::rlwe {

/// Sizes of a session's proofs. All of it is public.
struct ProofShape {
  explicit ProofShape(const ThresholdSession& session);

  std::size_t degree = 0, digits = 0;
  std::size_t repetitions = 0;                     ///< (2 degree)^repetitions >= 2^100
  unsigned mask_bits = 0;                          ///< masks lie in [-2^mask_bits, 2^mask_bits)
  unsigned low_bits = 0;                           ///< of rows, which are not hashed
  std::int64_t secret_reach = 0, error_reach = 0;  ///< the largest coefficients of c (s, u) and c e

  std::size_t rows() const noexcept { return 1 + 3 * digits; }
  /// Of ShareProof::answers.
  std::size_t answer_bytes() const noexcept;
  /// log2 of the largest error that a proof leaves, but for half of the modulus (doc/threshold.md).
  double log2_slack() const noexcept;
};

/// What the rows multiply s and u by, the same for all parties of a first round: over PQ, transformed, and divided by
/// what errors are multiples of, so that what is left of a row is short.
class ProofMultipliers {
 public:
  explicit ProofMultipliers(const FirstRound& first);

  const ContextPtr& context() const noexcept { return context_; }
  /// One for each row.
  ConstView of_secret() const { return of_secret_.view(); }
  /// Those of the rows h_j, then those of d_j; the others have no u.
  ConstView of_ephemeral() const { return of_ephemeral_.view(); }
  /// By limb: what rows are multiplied by to divide them by what errors are multiples of.
  std::span<const std::uint64_t> factors() const noexcept { return factors_; }
  const MixedRadix& radix() const noexcept { return radix_; }
  std::size_t digits() const noexcept { return digits_; }

 private:
  ContextPtr context_;
  std::size_t digits_;
  std::vector<std::uint64_t> factors_;
  PolyArray of_secret_, of_ephemeral_;
  MixedRadix radix_;
};

/// The rows of one party, with memory to work in: for one thread.
class ProofRows {
 public:
  /// is_secret: whether what is computed tells of secrets, and is wiped.
  ProofRows(const ProofMultipliers& common, const KeyShare& first, const KeyShare& second, bool is_secret);

  /// What the rows make of two polynomials of small integers, less c times what the party sent: kept here. challenge:
  /// null for none.
  void compute(std::span<const std::int64_t> of_secret, std::span<const std::int64_t> of_ephemeral,
               const PolyArray* challenge);
  /// An element of the basis, or its negative, transformed: number/2, negative for an odd number. Without branches.
  PolyArray challenge(std::uint64_t number) const;
  /// Feeds the integers of all coefficients of what was computed to a hash, without their low bits. 1 if some low bits
  /// lie so near to 0 or 2^low_bits that a multiple of the errors carries over.
  std::uint64_t hash_high(Sha256& hash, const ProofShape& shape);

 private:
  PolyArray small(std::span<const std::int64_t> numbers) const;

  const ProofMultipliers& common_;
  bool is_secret_;
  PolyArray sent_, image_;
  std::unique_ptr<Buffer> memory_;  // of one row's integers, and
  ZeroisingVector<std::uint64_t> integers_;
};

}  // namespace cyclotome::rlwe
