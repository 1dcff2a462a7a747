// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/io/container/packed.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"

// What the sections of keys hold, but for the residues. All functions throw FormatError.
namespace cyclotome::io {

/// The stored half of a public key (one pair) or switching key (a pair for each digit), transform domain over PQ.
struct KeyPayload {
  std::uint64_t galois_element = 0;        ///< 0 for keys that are no Galois keys
  std::optional<PublicSeed> uniform_seed;  ///< always there
  Packed residues;
};

struct RekeyingKeyPayload {
  rlwe::KeyId from{};  ///< of the secret key whose ciphertexts it takes; the container's own is where it leads
  KeyPayload key;
};

/// What refreshing takes: two sections behind the others, or none.
struct EncapsulationPayload {
  unsigned weight = 0;   ///< of the sparse secret; even, within what digits can be removed for
  KeyPayload to_sparse;  ///< one pair over the first special prime and the first ciphertext prime
  RekeyingKeyPayload back;
};

struct EvaluationKeysPayload {
  std::optional<KeyPayload> relinearization;
  std::vector<KeyPayload> galois;  ///< strictly ascending elements
  std::optional<EncapsulationPayload> encapsulation;
};

/// In the form that the scheme stores secret keys in.
Packed secret_key_payload(const Envelope& envelope);
KeyPayload public_key_payload(const Envelope& envelope);
EvaluationKeysPayload evaluation_keys_payload(const Envelope& envelope);
RekeyingKeyPayload rekeying_key_payload(const Envelope& envelope);

/// Bytes of residues in memory that evaluation keys take.
std::uint64_t evaluation_keys_expanded_bytes(const Envelope& envelope);

}  // namespace cyclotome::io
