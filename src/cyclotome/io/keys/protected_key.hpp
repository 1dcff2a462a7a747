// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/io/keys/sealed_key.hpp"
#include "cyclotome/rlwe/joint/party_state.hpp"
#include "cyclotome/rlwe/joint/secret_sharing.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Secret keys, shares of a joint secret and what its parties keep, under a passphrase: scrypt makes a key of it,
// ChaCha20-Poly1305 encrypts the secret with that and vouches for the rest of the file. Both come from the system's
// OpenSSL (ring/randomness/libcrypto.hpp).
namespace cyclotome::io {

/// As `serialize` of a secret key, under a passphrase: bytes as they are typed, by convention UTF-8. The result is no
/// secret to those who can't guess the passphrase. Throws ArgumentError for an empty passphrase or a cost out of
/// bounds; EngineError where there is no OpenSSL.
Bytes serialize_protected(const rlwe::SecretKey& key, std::span<const std::uint8_t> passphrase,
                          std::span<const std::uint8_t> metadata = {}, const ScryptCost& cost = {});

/// The same of a share of a joint secret, of which the session's id is all that can be told without the passphrase.
Bytes serialize_protected(const rlwe::SecretShare& share, std::span<const std::uint8_t> passphrase,
                          std::span<const std::uint8_t> metadata = {}, const ScryptCost& cost = {});

/// The same of what a party keeps, of which the session's id is all that can be told.
Bytes serialize_protected(const rlwe::ThresholdSession& session, const rlwe::PartyState& party,
                          std::span<const std::uint8_t> passphrase, std::span<const std::uint8_t> metadata = {},
                          const ScryptCost& cost = {});

/// What such a container says in the clear. Throws FormatError as all readers do, and for a cost out of bounds.
ScryptCost protection_of(const Container& container);

/// Throws PassphraseError for another passphrase than it was written with; a file that somebody altered looks the same.
/// Otherwise throws what read_secret_key does.
rlwe::SecretKey read_protected_key(const Container& container, const rlwe::ContextPtr& context,
                                   std::span<const std::uint8_t> passphrase,
                                   rlwe::KeyCheck check = rlwe::KeyCheck::required);
/// Likewise; otherwise throws what read_secret_share does.
rlwe::SecretShare read_protected_share(const Container& container, const rlwe::ContextPtr& context,
                                       std::span<const std::uint8_t> passphrase);
/// Likewise.
rlwe::PartyState read_protected_party(const Container& container, std::span<const std::uint8_t> passphrase);

}  // namespace cyclotome::io
