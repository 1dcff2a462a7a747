// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Ciphertexts and keys that somebody else made, of their residues: what readers of other libraries' formats need of
// this one. Residues are [item][part][limb][coefficient], each below its modulus (RangeError); those of keys have the
// key ring's limbs, special primes first, and are transformed. Errors of keys are multiples of what
// `Context::error_multiples` says, as ours are. Nothing here knows where residues come from.
namespace cyclotome::rlwe {

/// What a ciphertext array carries besides its residues.
struct CiphertextFacts {
  KeyId key;
  PlainIndex plain;
  std::size_t batch, parts, limbs;
  Domain domain;  ///< of the residues; the array is in its scheme's own
  NoiseBound noise;
  std::uint64_t correction;
};

/// Throws ArgumentError for a number of parts, level, batch, correction factor or noise bound that no ciphertext of
/// these parameters has, or another number of residues than these make.
Ciphertext ciphertext_of(const ContextPtr& context, const CiphertextFacts& facts,
                         std::span<const std::uint64_t> residues);
/// (b, a): 2 parts over the key ring.
PublicKey public_key_of(const ContextPtr& context, const KeyId& id, std::span<const std::uint64_t> residues);
/// Pairs (b_j, a_j) for every digit j.
SwitchingKey switching_key_of(const ContextPtr& context, std::span<const std::uint64_t> residues);
/// Throws FormatError unless the residues are the transform of one ternary polynomial in every limb, and for one that
/// fails a check that is required.
SecretKey secret_key_of(const ContextPtr& context, const KeyId& id, std::span<const std::uint64_t> residues,
                        KeyCheck check);

/// The residues of a secret key over the key ring, transformed, in locked memory: for the key's own file only.
ZeroisingVector<std::uint64_t> residues_of(const SecretKey& key);

}  // namespace cyclotome::rlwe
