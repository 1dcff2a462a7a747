// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/io/keys/sealed_key.hpp"

// A secret under a passphrase, whatever it is: the section SEAL, which ends its container.
namespace cyclotome::io {

/// Completes a container with the section: `write` appends the secret, `text_bytes` of it, and what stands before it is
/// vouched for. Throws ArgumentError for an empty passphrase or a cost out of bounds; EngineError where there is no
/// OpenSSL.
Bytes sealed_frame(FrameWriter& frame, std::size_t text_bytes, const std::function<void(ByteWriter&)>& write,
                   std::span<const std::uint8_t> passphrase, const ScryptCost& cost);

/// What was encrypted, in locked memory; secret: what messages call it. Throws PassphraseError.
Bytes opened_text(const SealedPayload& sealed, std::span<const std::uint8_t> passphrase, const char* secret);

}  // namespace cyclotome::io
