// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cyclotome/ring/randomness/seed.hpp"
#include "cyclotome/rlwe/context.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"

// A joint key of several parties: its secret is the sum of theirs, which nobody ever holds (doc/threshold.md).
// Mouchet, Troncoso-Pastoriza, Bossuat and Hubaux, "Multiparty homomorphic encryption from ring-learning-with-errors"
// (PETS 2021); shared decryption by t of n: Mouchet, Bertrand and Hubaux, "An efficient threshold access-structure for
// RLWE-based multiparty homomorphic encryption" (Journal of Cryptology, 2023). What a dishonest party can do all the
// same is said on the page, and in doc/threat-model.md.
namespace cyclotome::rlwe {

/// Candidates that a session can have of each party at most.
inline constexpr std::size_t most_candidates = 256;
/// And what it has unless somebody says otherwise.
inline constexpr std::size_t usual_candidates = 8;

/// What everybody knows and agrees on before there is a key: who takes part, how many of them decrypt, which keys are
/// made, and the reference seed that all common polynomials expand from. Immutable.
class ThresholdSession {
 public:
  /// What the session's maker chooses.
  struct Facts {
    /// Numbers of the parties, 1 to 65535, ascending, at least two: the points at which secrets are shared.
    std::vector<std::uint32_t> parties;
    std::size_t threshold = 0;                   ///< parties that decrypt together, 2 to all
    bool relinearization = true;                 ///< whether there will be that key, which takes the second round
    std::vector<std::uint64_t> galois_elements;  ///< ascending, none of them 1
    /// Ciphertexts of one plaintext modulus that each party helps to decrypt in the key's life, 1 to 2^60.
    std::uint64_t decryptions = usual_reveals;
    /// Candidates that each party makes of its first share, of which it opens all but one: who draws them otherwise is
    /// named but for one time in so many. 1: none is opened, and nobody sees malformed rotation keys. At most
    /// most_candidates.
    std::size_t audit = usual_candidates;
  };

  /// Throws ArgumentError for facts that can't be, and for more parties than the parameters' noise bounds allow for.
  ThresholdSession(Parameters parameters, Facts facts, const PublicSeed& reference);
  ThresholdSession(const ThresholdSession&) = default;  // and no move: math/moved.hpp
  ThresholdSession& operator=(const ThresholdSession&) = default;
  /// With a fresh reference seed of the operating system.
  static ThresholdSession create(Parameters parameters, Facts facts);

  const Parameters& parameters() const noexcept { return parameters_; }
  const std::vector<std::uint32_t>& parties() const noexcept { return facts_.parties; }
  /// How many parties decrypt together.
  std::size_t threshold() const noexcept { return facts_.threshold; }
  /// Whether fewer than all parties decrypt, so that secrets have to be dealt.
  bool shares_secrets() const noexcept { return threshold() < parties().size(); }
  bool relinearization() const noexcept { return facts_.relinearization; }
  const std::vector<std::uint64_t>& galois_elements() const noexcept { return facts_.galois_elements; }
  /// Ciphertexts of one plaintext modulus that each party helps to decrypt in the key's life.
  std::uint64_t decryptions() const noexcept { return facts_.decryptions; }
  /// Candidates of each party for its first share; 1 without an audit.
  std::size_t audit() const noexcept { return facts_.audit; }
  const PublicSeed& reference() const noexcept { return reference_; }

  /// SHA-256 of all of this: the session's name, which all of its messages carry.
  const Digest& digest() const noexcept { return digest_; }
  /// What files of the session carry where those of a key have its id: `session_id`. No key has it; the joint key's own
  /// id comes of the first round (FirstRound::key).
  KeyId id() const;
  /// The id of a party's own secret key. Throws ArgumentError for somebody who takes no part.
  KeyId party_key(std::uint32_t party) const;
  /// The digest that the protocol's first version gave a session of the same facts.
  Digest first_version_digest() const;

  /// In words, what shows who gave a wrong decryption share: other sets, where fewer than all decrypt; else nothing.
  const char* naming() const noexcept;

  /// Throws ArgumentError for somebody who takes no part.
  void require_party(std::uint32_t party) const;
  /// Throws ArgumentError unless these are distinct parties, ascending, and enough of them to decrypt.
  void require_active(std::span<const std::uint32_t> active) const;
  /// Throws MismatchError unless this is the secret key that `party` has in this session.
  void require_own(const SecretKey& secret, std::uint32_t party) const;
  /// Throws MismatchError unless a message of session `digest` belongs here.
  void require_same(const char* what, const Digest& digest) const;

 private:
  Parameters parameters_;
  Facts facts_;
  PublicSeed reference_;
  Digest digest_;
};

/// Where a party stands among all. Throws ArgumentError for somebody who takes no part.
std::size_t place_of(const ThresholdSession& session, std::uint32_t party);

/// The id of the session with this digest.
KeyId session_id(const Digest& session);
/// What files of the protocol's first version carry in its place: the joint key's id, which came of the session alone.
/// That version could publish secrets (doc/advisories/001-joint-keys.md), so its sessions and shares are refused.
KeyId first_version_id(const Digest& session);
/// The id of the joint key of a session whose first round has this digest: other first shares, another key.
KeyId joint_key_id(const Digest& session, const Digest& first_round);

/// What a message of which parties sent one each was sent by: throws ArgumentError if one is missing or repeated.
void require_each_once(const char* what, std::span<const std::uint32_t> expected,
                       std::span<const std::uint32_t> senders);

}  // namespace cyclotome::rlwe
