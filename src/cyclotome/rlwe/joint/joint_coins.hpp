// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/rlwe/joint/threshold_session.hpp"

// The coin that says which candidate each party keeps, and which it opens (doc/threshold.md, "Cut and choose"). Each
// party tosses a part before there are candidates, a hash of it, and shows the part when all have committed to theirs.
namespace cyclotome::rlwe {

/// One party's part of the coin.
class Coin {
 public:
  /// Which of the two it is.
  enum class Stage : std::uint8_t {
    tossed = 1,  ///< a hash, to which the sender is held
    shown = 2    ///< what the hash is of
  };

  /// basis: of a coin that is shown, `shown_after` what it was shown after; else zeros. value: the hash or the part.
  Coin(Parameters parameters, const Digest& session, std::uint32_t party, Stage stage, const Digest& basis,
       const Digest& value)
      : parameters_(std::move(parameters)),
        session_(session),
        party_(party),
        stage_(stage),
        basis_(basis),
        value_(value) {}
  Coin(const Coin&) = default;  // and no move: math/moved.hpp
  Coin& operator=(const Coin&) = default;

  const Parameters& parameters() const noexcept { return parameters_; }
  /// Of the session that it belongs to: ThresholdSession::digest.
  const Digest& session() const noexcept { return session_; }
  /// Who sent it.
  std::uint32_t party() const noexcept { return party_; }
  /// Whether it is the hash or the part itself.
  Stage stage() const noexcept { return stage_; }
  /// What it was shown after.
  const Digest& basis() const noexcept { return basis_; }
  /// The hash, or the part.
  const Digest& value() const noexcept { return value_; }
  /// Its sender's, of `digest_of`; empty where parties don't sign.
  const std::vector<std::uint8_t>& signature() const noexcept { return signature_; }
  /// Takes that signature.
  void attach(std::vector<std::uint8_t> signature) { signature_ = std::move(signature); }

 private:
  Parameters parameters_;
  Digest session_;
  std::uint32_t party_;
  Stage stage_;
  Digest basis_, value_;
  std::vector<std::uint8_t> signature_;
};

/// SHA-256 of a coin: session, party, stage, what it stands on, and its value.
Digest digest_of(const Coin& coin);
/// What a party tosses that will show this part. Party and session are hashed too, so that a copy opens for nobody.
Digest tossed(const Digest& session, std::uint32_t party, const Digest& part);
/// The values of all parties' coins of a stage, in their order. Throws MismatchError for those of another session, and
/// ArgumentError if one is missing, repeated or of the other stage.
std::vector<Digest> ordered(const ThresholdSession& session, Coin::Stage stage, std::span<const Coin* const> coins);
/// SHA-256 of what all tossed, in order of parties: candidates are drawn for it.
Digest tosses_digest(const ThresholdSession& session, std::span<const Digest> tosses);
/// SHA-256 of what coins are shown after: what all tossed, and what all committed to.
Digest shown_after(const ThresholdSession& session, std::span<const Digest> tosses,
                   std::span<const Digest> commitments);
/// SHA-256 of all parts, in order of parties: the coin. Throws BlameError, which names whoever shows another part than
/// it tossed.
Digest coin_of(const ThresholdSession& session, std::span<const Digest> tosses, std::span<const Digest> parts);
/// Which of its candidates, counted from 0, a party keeps, as this coin says. It depends on nothing that is chosen
/// after the coin was tossed.
std::size_t kept_candidate(const Digest& coin, std::uint32_t party, std::size_t candidates);

}  // namespace cyclotome::rlwe
