// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/checked_decryption.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/joint/joint_keys.hpp"

namespace cyclotome::value {

namespace {

/// Ascending; all where none are named.
std::vector<std::uint32_t> active_of(const rlwe::ThresholdSession& session, std::vector<std::uint32_t> active) {
  if (active.empty()) return session.parties();
  std::ranges::sort(active);
  active.erase(std::unique(active.begin(), active.end()), active.end());
  return active;
}

Digest question_about(const rlwe::ThresholdSession& session, const EncryptedArray& x, const MacKey& key,
                      const DecryptionPlan& plan, std::uint32_t epoch) {
  std::string text =
      message(Pledge::domain, "\nquestion\n", hexadecimal(session.digest()), "\n", hexadecimal(x.key()), "\n", epoch,
              "\n", hexadecimal(digest_of(std::span(&x, 1))), "\n", hexadecimal(key.digest()), "\n");
  for (const std::uint32_t party : plan.active) text += message(party, "\n");
  text += message(plan.flooding_bits, "\n", plan.name);
  return sha256(std::vector<std::uint8_t>(text.begin(), text.end()));
}

/// The same values modulo T, in [0, T): as the numbers are, since only there every multiple of a lie is as likely as
/// another.
Integers residues_of(const Integers& values, const rlwe::Parameters& parameters) {
  const Integer whole(BigUnsigned::product(parameters.plain_moduli()));
  std::vector<Integer> residues;
  for (std::size_t i = 0; i < values.size(); ++i) {
    residues.push_back(values[i].negative ? values[i] + whole : values[i]);
  }
  return Integers(values.shape(), residues);
}

/// What has to be 0: α times what the array holds beyond the values that shares gave.
std::vector<EncryptedArray> checks_of(const MacKey& key, const EncryptedArray& x, const Integers& values) {
  const EncryptedArray wrapped(x.placed(), Bound::wrapping(), x.keys());
  const EncryptedArray rest = subtract(wrapped, residues_of(values, x.parameters()));
  std::vector<EncryptedArray> checks;
  for (const EncryptedArray& alpha : key.sums()) {
    const bool is_here = alpha.context() == x.context();
    checks.push_back(multiply(is_here ? alpha.with_keys(x.keys()) : alpha.to(x.context(), x.keys()), rest).settled());
  }
  return checks;
}

bool all_zero(const Integers& values) {
  return std::ranges::all_of(values.data(), [](std::uint64_t word) { return word == 0; });
}

}  // namespace

CheckedDecryption::CheckedDecryption(JointParty party, const rlwe::Identity& identity, EncryptedArray x, MacKey key,
                                     rlwe::Identities identities, DecryptionPlan plan, const rlwe::SecretShare* share)
    : party_(std::move(party)),
      identity_(Seed(identity.seed().bytes())),
      x_(std::move(x)),
      key_(std::move(key)),
      identities_(std::move(identities)),
      plan_(std::move(plan)),
      share_(share) {
  key_.require_fresh();
  plan_.active = active_of(party_.session(), std::move(plan_.active));
  for (const std::uint32_t each : plan_.active) {
    if (!identities_.contains(each)) throw ArgumentError(message("the identity of party ", each, " is missing"));
  }
  question_ = question_about(party_.session(), x_, key_, plan_, share_ == nullptr ? 0 : share_->epoch());
}

DecryptionShare CheckedDecryption::share_of(const EncryptedArray& array) const {
  return party_.decryption_share(array, plan_.active, plan_.flooding_bits, share_);
}

Pledge CheckedDecryption::pledge(Pledge::Stage stage, std::span<const DecryptionShare> shares) const {
  return Pledge::sign({party_.number(), stage, question_, digest_of(shares)}, identity_);
}

CheckedDecryption::Committed CheckedDecryption::agreed(Pledge::Stage stage, std::span<const Pledge> commitments,
                                                       std::span<const DecryptionShare> own) const {
  Committed committed = agreed_pledges(identities_, plan_.active, stage, question_, commitments);
  require_shown(committed, party_.number(), digest_of(own));
  return committed;
}

Pledge CheckedDecryption::commit() {
  own_ = {share_of(x_)};
  return pledge(Pledge::Stage::share, own_);
}

DecryptionShare CheckedDecryption::reveal(std::span<const Pledge> commitments) {
  if (own_.empty()) throw ArgumentError("commit first");
  committed_ = agreed(Pledge::Stage::share, commitments, own_);
  return own_.front();
}

Pledge CheckedDecryption::commit_check(std::span<const DecryptionShare> shares) {
  std::vector<std::vector<DecryptionShare>> each;
  for (const DecryptionShare& share : shares) each.push_back({share});
  require_all_shown(each);
  Integers values = threshold_decrypt(party_.session(), x_, shares);
  checks_ = checks_of(key_, x_, values);
  values_.emplace(std::move(values));
  own_checks_.clear();
  for (const EncryptedArray& check : checks_) own_checks_.push_back(share_of(check));
  return pledge(Pledge::Stage::check, own_checks_);
}

std::vector<DecryptionShare> CheckedDecryption::reveal_check(std::span<const Pledge> commitments) {
  if (own_checks_.empty()) throw ArgumentError("commit to the check first");
  key_.require_fresh(question_);
  committed_ = agreed(Pledge::Stage::check, commitments, own_checks_);
  key_.hold(question_, digest_of(checks_));
  return own_checks_;
}

Integers CheckedDecryption::values(std::span<const std::vector<DecryptionShare>> shares) {
  if (own_checks_.empty()) throw ArgumentError("commit to the check first");
  require_all_shown(shares);
  key_.require_fresh(question_);
  if (!is_sound(shares)) {
    key_.spend();
    throw ContradictionError(message(
        "the check of the values fails: a decryption share was altered, or is no honest one; the numbers that it was ",
        "checked with are spent, make another MacKey; ", party_.session().naming()));
  }
  key_.release(question_);
  return *values_;
}

bool CheckedDecryption::is_sound(std::span<const std::vector<DecryptionShare>> shares) const {
  for (std::size_t i = 0; i < checks_.size(); ++i) {
    std::vector<DecryptionShare> of_check;
    for (const std::vector<DecryptionShare>& each : shares) {
      if (each.size() != checks_.size()) throw ArgumentError("each party gives a share of each check");
      of_check.push_back(each[i]);
    }
    try {
      if (!all_zero(threshold_decrypt(party_.session(), checks_[i], of_check))) return false;
    } catch (const ContradictionError&) {
      return false;
    }
  }
  return true;
}

void CheckedDecryption::require_all_shown(std::span<const std::vector<DecryptionShare>> shares) const {
  if (committed_.empty()) {
    throw ArgumentError("the steps go one after the other: commit, reveal, commit_check, reveal_check, values");
  }
  Committed shown;
  for (const std::vector<DecryptionShare>& each : shares) {
    const bool of_one = !each.empty() && std::ranges::all_of(each, [&](const DecryptionShare& share) {
      return share.facts().party == each.front().facts().party;
    });
    if (!of_one || !committed_.contains(each.front().facts().party) ||
        !shown.emplace(each.front().facts().party, digest_of(each)).second) {
      throw ArgumentError("there must be one answer of each party that decrypts, and of nobody else");
    }
  }
  for (const auto& [party, digest] : committed_) {
    const auto answer = shown.find(party);
    if (answer == shown.end()) throw ArgumentError(message("the answer of party ", party, " is missing"));
    require_shown(committed_, party, answer->second);
  }
}

}  // namespace cyclotome::value
