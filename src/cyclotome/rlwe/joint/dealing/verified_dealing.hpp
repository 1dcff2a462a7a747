// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cyclotome/rlwe/joint/dealing/messages.hpp"
#include "cyclotome/rlwe/joint/secret_sharing.hpp"

// Dealt shares that their receivers can check, and that nobody else can read (doc/threshold.md, "Verified shares").
// Dealer k has a polynomial f over R_Q of degree t - 1, and scalar polynomials G_r of that degree, uniform, one for
// each row r and prime. It seals f(x) and all G_r(x) for party x; the rows are drawn from a hash of everything that is
// sealed; in the open stands F_r = <r, f> + G_r, t scalars. Party x holds F_r(x) = <r, f(x)> + G_r(x) to what it got.
// Shares off one polynomial pass with a probability of at most 2^-row_bits for each hash that a dealer tries; F_r(0) is
// hidden by G_r(0), and the rest of F_r is known to t - 1 parties anyway, so that F tells them nothing. What is sealed
// is sealed for a key that its receiver issued for this one message: a receiver who complains publishes that key, and
// everybody sees what the dealer sent.
namespace cyclotome::rlwe {

/// Deals with randomness of the operating system: what a second call sends has other polynomials, and tells nothing
/// beside the first. keys: of all parties. Throws ArgumentError for keys that are missing, there twice or not signed by
/// their party, another's identity, or another `what` than the function's; MismatchError for messages of another round.
Dealt deal_own(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const SecretKey& secret,
               std::span<const ReceivingKeys> keys);
Dealt deal_zero(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const ContextPtr& context,
                std::span<const ReceivingKeys> keys);
/// share: the dealer's of the joint secret, of the epoch before.
Dealt deal_share(const DealingRound& round, std::uint32_t dealer, const Identity& identity, const SecretShare& share,
                 std::span<const ReceivingKeys> keys);

/// What is wrong with a dealing that everybody sees, without any key; empty if nothing is. Signed by its dealer, it is
/// evidence by itself. Throws MismatchError for one of another round or that its dealer did not sign: nobody's fault.
std::string public_fault(const DealingRound& round, const ContextPtr& context, const Dealing& dealing);

/// Who lied, the dealer or the one who complains, and how that shows.
struct Verdict {
  std::uint32_t guilty = 0;  ///< who
  std::string reason;        ///< in words
};
/// Throws MismatchError for a complaint of another round, or one that its accuser or a dealing that its dealer did not
/// sign: those show nothing.
Verdict judge(const DealingRound& round, const ContextPtr& context, const Complaint& complaint);

/// What a party makes of all dealings.
struct Received {
  std::optional<SecretShare> share;   ///< their sum, where all are right
  std::vector<Complaint> complaints;  ///< else: to be sent to everybody
};
/// dealings: of all dealers; sealed: what each sent to this party. Throws ArgumentError where one is missing or there
/// twice; MismatchError for messages of another round, that their dealer did not sign, or that a dealing does not name:
/// ask for them again.
Received receive_dealt(const DealingRound& round, const ContextPtr& context, std::uint32_t party,
                       const Identity& identity, std::span<const Dealing> dealings,
                       std::span<const SealedShare> sealed);

/// A share of the epoch before and what a round of `zero` gave: the refreshed one. Destroy both then.
SecretShare refreshed(const DealingRound& round, const SecretShare& share, const SecretShare& zero);

}  // namespace cyclotome::rlwe
