// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/io/joint/threshold_payload.hpp"
#include "cyclotome/rlwe/joint/acceptance.hpp"

// Messages of joint keys (doc/threshold.md). Writing: ArgumentError for metadata that is too long. Reading: FormatError
// for a container of another kind, with bad contents or of the protocol's first version; MismatchError if the context
// has other parameters.
namespace cyclotome::io {

Bytes serialize(const rlwe::ThresholdSession& session, std::span<const std::uint8_t> metadata = {});
Bytes serialize(const rlwe::Commitment& commitment, std::span<const std::uint8_t> metadata = {});
Bytes serialize(const rlwe::Coin& coin, std::span<const std::uint8_t> metadata = {});
Bytes serialize(const rlwe::Acceptance& acceptance, std::span<const std::uint8_t> metadata = {});
Bytes serialize(const rlwe::KeyShare& share, std::span<const std::uint8_t> metadata = {});
/// The bytes are secret, in locked memory: keep them in a file written with Privacy::secret, and send them to their
/// party over a channel that nobody else reads.
Bytes serialize(const rlwe::SecretShare& share, std::span<const std::uint8_t> metadata = {});
Bytes serialize(const value::DecryptionShare& share, std::span<const std::uint8_t> metadata = {});

/// What a party keeps: secret, as above.
Bytes serialize(const rlwe::ThresholdSession& session, const rlwe::PartyState& party,
                std::span<const std::uint8_t> metadata = {});
/// What the section of that holds: for whoever encrypts it.
void write_party(ByteWriter& writer, const rlwe::PartyState& party);

/// What the section of a share holds, secret: for whoever encrypts it.
void write_share(ByteWriter& writer, const rlwe::SecretShare& share);
/// The share that this is.
rlwe::SecretShare share_of(const SecretSharePayload& payload, const Container& container,
                           const rlwe::ContextPtr& context);

rlwe::ThresholdSession read_threshold_session(const Container& container);
rlwe::Commitment read_key_commitment(const Container& container);
rlwe::Coin read_coin(const Container& container);
rlwe::Acceptance read_acceptance(const Container& container);
rlwe::KeyShare read_key_share(const Container& container, const rlwe::ContextPtr& context);
rlwe::SecretShare read_secret_share(const Container& container, const rlwe::ContextPtr& context);
value::DecryptionShare read_decryption_share(const Container& container, const rlwe::ContextPtr& context);
rlwe::PartyState read_party_state(const Container& container);

}  // namespace cyclotome::io
