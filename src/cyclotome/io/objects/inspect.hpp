// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/rlwe/noise/noise.hpp"

namespace cyclotome::io {

struct SectionFacts {
  std::string tag;
  std::uint64_t offset;  ///< of its first byte in the container
  std::uint64_t bytes;
};

/// One array of ciphertexts or plaintexts.
struct ArrayFacts {
  rlwe::PlainIndex plain;       ///< the plaintext modulus
  std::uint64_t plain_modulus;  ///< t
  std::size_t batch;
  std::size_t parts;  ///< 1 for plaintexts
  std::size_t limbs;  ///< the level, that is the number of ciphertext primes; 0 for plaintexts
  bool seeded;        ///< c1 is stored as a seed
  rlwe::NoiseBound noise;
  /// Ciphertexts: bits by which the noise bound may grow before decryption refuses, as scheme::noise_headroom counts
  /// them, up to BFV's own slack of less than 2^-20 bits, which only a context knows. 0 for plaintexts.
  double headroom;
};

/// What a container says about itself: made without a context, without keys and without looking at residues.
struct Inspection {
  Kind kind;
  std::uint16_t version;
  std::uint64_t bytes;           ///< of the container
  std::uint64_t expanded_bytes;  ///< of the residues in memory when it is loaded
  rlwe::Parameters parameters;
  rlwe::KeyId key_id;  ///< of the secret key that the object belongs to; zeros for parameters and what is not encrypted
  std::vector<std::uint8_t> metadata;
  std::vector<SectionFacts> sections;
  std::vector<ArrayFacts> arrays;  ///< of a ciphertext, plaintext or bundle
  bool relinearization;            ///< evaluation keys: whether there is a relinearisation key
  std::vector<std::uint64_t> galois_elements;
  std::optional<rlwe::KeyId> rekeys_from;  ///< a rekeying key: the secret key whose ciphertexts it takes
  std::optional<ScryptCost> protection;    ///< a secret key under a passphrase: what a guess costs
  /// Of an encrypted array: what its ciphertexts mean. None in format version 1, which keeps it in the metadata.
  std::optional<ArrayPayload> description = std::nullopt;
  /// Of an array of real numbers, in place of it.
  std::optional<RealArrayPayload> reals = std::nullopt;
  /// Of a plain array.
  std::optional<value::Shape> shape = std::nullopt;
  bool refreshes = false;  ///< evaluation keys: whether there are keys that lead through a sparse secret
};

/// Checks header, checksum, parameters and the shape of every section. Throws FormatError as `Container` does, but
/// takes insecure parameters: the caller can see them in the result.
Inspection inspect(std::span<const std::uint8_t> bytes, Limits limits = {});

}  // namespace cyclotome::io
