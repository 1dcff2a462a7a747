// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cyclotome/rlwe/joint/dealing/round.hpp"
#include "cyclotome/value/joint/joint_evidence.hpp"

// What parties commit to before they show it, in a joint decryption whose values are checked (doc/threshold.md,
// "Checked decryption").
namespace cyclotome::value {

/// A party's signed hash of what it will show once all have committed: a line of text.
class Pledge {
 public:
  /// What is committed to: numbers to check with, a share of what is decrypted, shares of what has to be 0.
  enum class Stage : std::uint8_t { mac, share, check };
  /// What it says.
  struct Facts {
    std::uint32_t party = 0;   ///< who commits
    Stage stage = Stage::mac;  ///< which of those
    Digest question{};         ///< what it is about: `CheckedDecryption::question`, or the key whose numbers these are
    Digest digest{};           ///< of what will be shown
    /// Of all of them.
    bool operator==(const Facts&) const = default;
  };

  /// By the party itself.
  static Pledge sign(const Facts& facts, const rlwe::Identity& identity);
  /// As `text` gave it. Throws ArgumentError for a line that is none.
  static Pledge from_text(std::string_view line);

  /// What it says.
  const Facts& facts() const noexcept { return facts_; }
  /// The party's, of that.
  const rlwe::Signature& signature() const noexcept { return signature_; }
  /// A line: "cycm", party, stage, and question, digest and signature in hexadecimal.
  std::string text() const;

  /// What is signed, in the domain `domain`.
  std::vector<std::uint8_t> signed_bytes() const;
  /// The domain of these signatures.
  static const char* const domain;
  /// Whether the party of this identity signed it.
  bool signed_by(const rlwe::PublicIdentity& identity) const;

 private:
  Pledge(const Facts& facts, const rlwe::Signature& signature) : facts_(facts), signature_(signature) {}
  Facts facts_;
  rlwe::Signature signature_;
};

/// "mac", "share" or "check".
const char* name_of(Pledge::Stage stage) noexcept;

/// The digests that all of `who` committed to, by party. Throws ArgumentError where one is missing, or somebody's
/// identity; MismatchError for one of another stage or question, or that its party did not sign; BlameError, which
/// names who committed to two things and signed both.
std::map<std::uint32_t, Digest> agreed_pledges(const rlwe::Identities& identities, std::span<const std::uint32_t> who,
                                               Pledge::Stage stage, const Digest& question,
                                               std::span<const Pledge> given);

/// Throws MismatchError unless what a party shows has the digest that it committed to.
void require_shown(const std::map<std::uint32_t, Digest>& committed, std::uint32_t party, const Digest& shown);

/// What pledges show to anybody: a party that committed to two things, and signed both. is_signed: whether its party
/// signed a pledge. Throws MismatchError for one that it did not: that shows nothing.
std::optional<JointFault> fault_in(std::span<const Pledge> pledges,
                                   const std::function<bool(const Pledge&)>& is_signed);

}  // namespace cyclotome::value
