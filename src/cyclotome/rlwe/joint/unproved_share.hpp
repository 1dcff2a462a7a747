// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cyclotome/rlwe/keys/keys.hpp"

// What a second share is before it is proved (share_proof.hpp). This header is not installed.
namespace cyclotome::rlwe {

class FirstRound;
class KeyShare;
class PartySeeds;

/// The secret u of the relinearisation key's rounds.
SecretKey ephemeral_secret(const SecretKey& secret, const PartySeeds& seeds);

/// A second share without its proof: what `second_share` proves.
KeyShare unproved_share(const FirstRound& first, std::uint32_t party, const SecretKey& secret);

}  // namespace cyclotome::rlwe
