// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/randomness/seed.hpp"
#include "cyclotome/rlwe/context.hpp"

// Everything random is drawn from a seed that was derived for that one thing, never from the seed that a caller gave.
// Seeds for different things tell nothing of one another, even where they come from one master.
namespace cyclotome::rlwe {

/// What a seed is derived for. The numbers stand in doc/architecture.md, Randomness; nothing in a file is read by them.
enum class Purpose : std::uint32_t {
  secret_key = 1,
  key_id = 2,
  public_key = 3,
  switching_key = 4,  ///< for a target that the caller gives
  relinearization_key = 5,
  galois_key = 6,
  public_encryption = 7,  ///< of a message under the public key
  public_zero = 8,        ///< of zero under the public key
  rerandomization = 9,
  symmetric_encryption = 10,
  symmetric_zero = 11,
  flooding = 12,
  // Of joint keys: what is common to all parties (the uniform half), and what one party draws.
  joint_public_key = 13,
  joint_galois_key = 14,
  joint_relinearization_first = 15,  ///< its two rounds
  joint_relinearization_second = 16,
  joint_ephemeral_secret = 17,  ///< u of the first round
  secret_sharing = 18,
  share_flooding = 19,
  joint_share_proof = 20,  ///< masks of a proof
  // Of encapsulation keys (rlwe/encapsulation/encapsulation_keys.hpp).
  sparse_secret = 21,
  sparse_key_id = 22,
  encapsulation_key = 23,  ///< to the sparse secret
  release_key = 24         ///< and back
};

/// Objects with a uniform polynomial have a seed for it, which is published, and one for their error.
enum class Half : std::uint32_t { whole = 0, uniform = 1, error = 2 };

struct SeedLabel {
  Purpose purpose;
  KeyId key{};                ///< of the secret key behind; zeros while that is made itself
  std::uint64_t element = 0;  ///< of Galois keys, else 0
  PlainIndex plain{0};        ///< number of the plaintext modulus; 0 for keys, which serve all
  Half half = Half::whole;

  SeedLabel of(Half which) const noexcept {
    SeedLabel label = *this;
    label.half = which;
    return label;
  }
};

/// HMAC-SHA-256 of the label and the parameters' fingerprint, keyed with `master`: who does not know the master can't
/// tell derived seeds from independent ones, even knowing all others. Constant time in the master. Throws
/// ArgumentError for a spent seed.
Seed derive_seed(const Seed& master, const Parameters& parameters, const SeedLabel& label);

}  // namespace cyclotome::rlwe
