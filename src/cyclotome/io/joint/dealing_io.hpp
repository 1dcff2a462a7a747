// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/bytes.hpp"
#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/rlwe/joint/dealing/messages.hpp"

// Messages of verified dealing (doc/threshold.md), none of which is secret: what is for one party is sealed for it.
namespace cyclotome::io {

using rlwe::DealingMessage;

/// parameters: the session's. Throws ArgumentError for metadata that is too long.
Bytes serialize(const DealingMessage& message, const rlwe::Parameters& parameters,
                std::span<const std::uint8_t> metadata = {});

/// Throws FormatError for a container of another kind or with bad contents.
DealingMessage read_dealing_message(const Envelope& envelope);

}  // namespace cyclotome::io
