// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/joint/threshold_session.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Shamir's sharing of the joint secret over R_Q, for sessions in which t of n parties decrypt: every party hides its
// secret in a polynomial f_i of degree t - 1 in the point, uniform but for f_i(0) = s_i, and deals f_i(x) to party x.
// What a party is dealt adds up to its share of the joint secret, F(x) with F(0) = s; any t of these determine s by
// Lagrange's coefficients, which are exact modulo every prime.
namespace cyclotome::rlwe {

/// f_i(x), which party i deals to party x, or their sum. **Secret**: for party x alone; any t sums are the joint
/// secret.
class SecretShare {
 public:
  /// from: the dealer; 0 for the sum of what all dealt. share: 1 item of 1 part over Q, transformed. epoch: how often
  /// the shares of the session were refreshed.
  SecretShare(ContextPtr context, const Digest& session, std::uint32_t from, std::uint32_t to, PolyArray share,
              std::uint32_t epoch = 0)
      : context_(std::move(context)), session_(session), from_(from), to_(to), epoch_(epoch), share_(std::move(share)) {
    share_.lock();
  }
  SecretShare(SecretShare&&) = default;
  SecretShare& operator=(SecretShare&&) = default;

  const ContextPtr& context() const { return present(context_); }
  /// Of the session that it belongs to: ThresholdSession::digest.
  const Digest& session() const noexcept { return session_; }
  /// Who dealt it; 0 for the sum of what all dealt.
  std::uint32_t from() const noexcept { return from_; }
  /// Whose it is.
  std::uint32_t to() const noexcept { return to_; }
  /// How often the shares of the session were refreshed, or dealt anew, before: shares of different epochs don't mix.
  std::uint32_t epoch() const noexcept { return epoch_; }
  /// Whether it is the sum of what all dealt.
  bool is_sum() const noexcept { return from_ == 0; }
  /// The secret itself.
  const PolyArray& share() const { return present(context_), share_; }

 private:
  ContextPtr context_;
  Digest session_;
  std::uint32_t from_, to_, epoch_;
  PolyArray share_;
};

/// What a party deals to every party, itself included, in their order; always the same for the same secret. Throws
/// ArgumentError for a session in which all decrypt.
std::vector<SecretShare> deal_secret(const ThresholdSession& session, std::uint32_t party, const SecretKey& secret);

/// f(x), by Horner's rule: 1 item over Q, transformed. coefficients: f(0), then the others, one item each.
PolyArray share_at(const Context& context, const PolyArray& coefficients, std::uint32_t point);

/// The sum of what all parties dealt to `party`. Throws MismatchError for shares of another session, and ArgumentError
/// unless there is one of each dealer, to this party.
SecretShare sum_of_dealt(const ThresholdSession& session, std::uint32_t party,
                         std::span<const SecretShare* const> dealt);

/// prod over j in active but i of j/(j - i) modulo every prime of the level: what party i's share counts.
std::vector<std::uint64_t> lagrange_coefficients(std::span<const std::uint64_t> primes,
                                                 std::span<const std::uint32_t> active, std::uint32_t party);

}  // namespace cyclotome::rlwe
