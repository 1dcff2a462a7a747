// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "cyclotome/rlwe/joint/proof_rows.hpp"
#include "cyclotome/rlwe/joint/unproved_share.hpp"

// That a second share, and the parts of a first one that it goes with, are what a short secret and short errors give:
// a proof which tells nothing of them, and which anybody can check who has the first shares (doc/threshold.md, "Proved
// shares"). Lyubashevsky, "Fiat-Shamir with aborts" (Asiacrypt 2009), for the rows
//
//   b = -a s - e,   h_j = -a'_j u + w_j s - e,   k_j = -a'_j s - e,   d_j = p_j s - k_j u - e
//
// of one party, b, h, k in its first share, d in its second, p_j and k_j sums over all. Masks y_s, y_u are drawn for
// each of several repetitions, what the rows make of them is hashed without its low bits, and the hash gives each
// repetition a challenge c, one of 2n: an element of the ring's basis or its negative. Answers are z = y + c (s, u);
// rows of z less c times what was sent give the same high bits, if the errors are short (Bai and Galbraith, CT-RSA
// 2014), so that answers do not grow with the number of rows. Attempts whose z or low bits could tell of the secrets
// are thrown away. This header is not installed.
namespace cyclotome::rlwe {

/// The proof of a party's second share, always the same for the same first round. Throws EngineError where none can be
/// made: the shares are not what these secrets give.
ShareProof prove_share(const FirstRound& first, const KeyShare& second, const SecretKey& secret,
                       const SecretKey& ephemeral, const PartySeeds& seeds);

/// Whether the proof that a second share carries shows that.
bool is_proved(const FirstRound& first, const KeyShare& second);

/// Throws BlameError, which names the first party whose second share carries no proof, or a wrong one. own: whose share
/// is not looked at; 0 for nobody. Nothing is looked at in a session without a second round.
void require_proved(const FirstRound& first, std::span<const KeyShare* const> second, std::uint32_t own = 0);

}  // namespace cyclotome::rlwe
