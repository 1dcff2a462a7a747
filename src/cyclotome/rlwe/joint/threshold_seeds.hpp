// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cyclotome/rlwe/joint/threshold_session.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/rlwe/keys/seed_derivation.hpp"

// Where randomness of a session comes from. This header is not installed.
namespace cyclotome::rlwe {

/// The seed of a common uniform polynomial that is known before there are messages; element: of Galois keys, else 0.
PublicSeed common_seed(const ThresholdSession& session, Purpose purpose, std::uint64_t element = 0);

/// The seed of the common a_j of the second round, which comes of the first round's digest: when any h_j, k_j is
/// chosen, nobody knows a_j, so that what an honest party multiplies its secret by, h_j - a_j, is nobody's choice.
PublicSeed answer_seed(const ThresholdSession& session, const Digest& first_round);

/// A seed for one thing that a party draws before it has a secret key. text: bytes that belong to it.
Seed labelled_seed(const Seed& party, std::string_view label, std::span<const std::uint8_t> text);

/// What a party draws is derived from its secret key by HMAC-SHA-256, as nonces of signatures are in RFC 6979: whoever
/// asks twice gets the same share, so that no two with different errors can be compared.
class PartySeeds {
 public:
  PartySeeds(const ThresholdSession& session, const SecretKey& secret);
  Seed derive(Purpose purpose, std::uint64_t element = 0, Half half = Half::whole) const;
  /// For the answer to the first round of this digest: another question has other errors.
  PartySeeds answering(const Digest& first_round) const;
  /// For one decryption: another master, derived from what `context` says of it.
  Seed master_of(std::span<const std::uint8_t> context) const;

 private:
  PartySeeds(const Parameters& parameters, const KeyId& id, Seed master)
      : parameters_(parameters), id_(id), master_(std::move(master)) {}

  const Parameters& parameters_;
  KeyId id_;
  Seed master_;
};

/// Feeds the residues of all items and parts to a hash.
void hash_polynomials(Sha256& hash, const PolyArray& polynomials);

}  // namespace cyclotome::rlwe
