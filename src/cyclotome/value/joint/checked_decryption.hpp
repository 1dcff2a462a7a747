// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/joint/mac_key.hpp"

// Joint decryption whose values are checked: a share that somebody altered is refused, but with a probability that is
// stated (doc/threshold.md, "Checked decryption").
namespace cyclotome::value {

/// What those who decrypt agree on beside the array.
struct DecryptionPlan {
  std::string name;                   ///< what is decrypted, in words that all agreed upon
  std::vector<std::uint32_t> active;  ///< who decrypt; none: all
  unsigned flooding_bits = 64;        ///< as JointParty::decryption_share
};

/// One party's part in decrypting an array with others, so that values which somebody falsified are refused. Each of
/// the steps takes what all who decrypt sent in the one before: `commit`, `reveal`, `commit_check`, `reveal_check`,
/// `values`. The values are given after the last one only.
///
///     CheckedDecryption step(ada, identity, y, mac_key, known, {.name = "sum of May"});
///     const Pledge line = step.commit();                          // to all; then with those of all:
///     const DecryptionShare share = step.reveal(lines);           // to all
///     const Pledge check = step.commit_check(shares);             // to all
///     const std::vector<DecryptionShare> own = step.reveal_check(checks);  // to all
///     const Integers values = step.values(answers);
///
/// Altering a share in any way passes with a probability of at most p^-m, p the smallest prime factor of a plaintext
/// modulus and m the count of MacShare. It takes one product of headroom, and a relinearisation key that the array
/// knows. Compare `array_digest(x)` with that of your own computation where you don't trust who computed it.
class CheckedDecryption {
 public:
  /// share: the party's share of the joint secret, where fewer than all decrypt; else null. It must live as long as
  /// this. Throws ContradictionError for a MacKey that is spent; ArgumentError for parties that can't decrypt together,
  /// and where somebody's identity is missing.
  CheckedDecryption(JointParty party, const rlwe::Identity& identity, EncryptedArray x, MacKey key,
                    rlwe::Identities identities, DecryptionPlan plan, const rlwe::SecretShare* share = nullptr);

  /// What all who decrypt compare: of session, array, set, epoch, flooding, numbers to check with, and name.
  const Digest& question() const noexcept { return question_; }

  /// Commits to this party's share, which is made now. Throws what JointParty::decryption_share does.
  Pledge commit();
  /// The share, now that all have committed. Throws ArgumentError where a commitment is missing; MismatchError for one
  /// of another question, or not signed; BlameError for a party that committed to two things.
  DecryptionShare reveal(std::span<const Pledge> commitments);
  /// Takes all shares, and commits to this party's shares of what has to be 0. Throws ArgumentError where a share is
  /// missing; MismatchError for one that was not committed to; ContradictionError for shares that give more noise than
  /// flooding explains, RangeError for values beyond the array's own bound: a share was altered, too.
  Pledge commit_check(std::span<const DecryptionShare> shares);
  /// This party's shares of what has to be 0, now that all have committed. From now on the MacKey is held. Throws
  /// ContradictionError where it is spent, or held by another decryption or another answer of this one; else as
  /// `reveal`.
  std::vector<DecryptionShare> reveal_check(std::span<const Pledge> commitments);
  /// The values, if the check gives 0 everywhere. shares: what each party's `reveal_check` gave. Throws
  /// ContradictionError where a share of the values, or of the check, was altered: the MacKey is spent then. Where
  /// fewer than all decrypt, do so again with other sets: `liars` says whom that names. Where all decrypt nobody can
  /// be named. Else as `commit_check`.
  Integers values(std::span<const std::vector<DecryptionShare>> shares);

 private:
  using Committed = std::map<std::uint32_t, Digest>;

  DecryptionShare share_of(const EncryptedArray& array) const;
  Pledge pledge(Pledge::Stage stage, std::span<const DecryptionShare> shares) const;
  Committed agreed(Pledge::Stage stage, std::span<const Pledge> commitments,
                   std::span<const DecryptionShare> own) const;
  void require_all_shown(std::span<const std::vector<DecryptionShare>> shares) const;
  bool is_sound(std::span<const std::vector<DecryptionShare>> shares) const;

  JointParty party_;
  rlwe::Identity identity_;
  EncryptedArray x_;
  MacKey key_;
  rlwe::Identities identities_;
  DecryptionPlan plan_;
  const rlwe::SecretShare* share_;
  Digest question_{};
  std::vector<DecryptionShare> own_, own_checks_;
  std::vector<EncryptedArray> checks_;
  std::optional<Integers> values_;
  Committed committed_;
};

}  // namespace cyclotome::value
