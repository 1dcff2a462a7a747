// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "cyclotome/rlwe/joint/threshold_session.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Making a joint key in two rounds, each of one message from everybody to everybody, before which everybody commits to
// the first: whoever sends last has chosen before it saw anything. All messages are public. Over PQ,
// transformed, with gadget factors w_j = P g_j and common uniform polynomials a, a'_j, and a_j of Galois keys, from the
// session, and a_j of the second round from the digest of all messages of the first:
//
//   first:   -(a s_i + e)                                          the public key
//            -(a'_j u_i + e) + w_j s_i  and  -(a'_j s_i + e)       h_j and k_j, u_i a secret for these two rounds alone
//            -(a_j s_i + e) + w_j s_i(x^g)                         for each Galois element
//   second:  s_i (h_j - a_j) - u_i k_j - e                         the relinearisation key
//
// Sums over all parties are the halves of keys as one owner makes them, with a, a_j in the other: only their errors are
// larger (NoiseCalculus). The second round differs from the paper's in that -a_j s_i stands in place of the aggregate
// h_1: so the key's other half is a common polynomial, which expands from a seed as in every key of this library. That
// a_j is drawn after all h_j and k_j are fixed is what keeps a secret (doc/threshold.md, "No chosen multiplier").
namespace cyclotome::rlwe {

/// One party's message before the first round: a hash of what it will send then. It hides that, which depends on a
/// secret of 256 bits, and nobody opens it to anything else; party and session are hashed too, so that a copy opens for
/// nobody.
class Commitment {
 public:
  Commitment(Parameters parameters, const Digest& session, std::uint32_t party, const Digest& digest)
      : parameters_(std::move(parameters)), session_(session), party_(party), digest_(digest) {}

  const Parameters& parameters() const noexcept { return parameters_; }
  /// Of the session that it belongs to: ThresholdSession::digest.
  const Digest& session() const noexcept { return session_; }
  /// Who sent it.
  std::uint32_t party() const noexcept { return party_; }
  /// The hash: `committed` of the first share.
  const Digest& digest() const noexcept { return digest_; }
  /// Its sender's, of `digest_of`; empty where parties don't sign.
  const std::vector<std::uint8_t>& signature() const noexcept { return signature_; }
  /// Takes that signature.
  void attach(std::vector<std::uint8_t> signature) { signature_ = std::move(signature); }

 private:
  Parameters parameters_;
  Digest session_;
  std::uint32_t party_;
  Digest digest_;
  std::vector<std::uint8_t> signature_;
};

/// What a first share carries in a session with an audit: the sender's other candidates, for everybody to draw again.
struct Opened {
  /// One of them.
  struct Candidate {
    PublicSeed seed;  ///< all of the candidate comes of it
    Digest hash;      ///< what the sender has committed to: `candidate_digest`
  };
  Digest coin{};                      ///< that chose: `coin_of`
  std::vector<Candidate> candidates;  ///< ascending, without the kept one
};

/// What a second share carries: that it, and what its sender's first one says of the public and relinearisation keys,
/// come of short secrets and errors (share_proof.hpp).
struct ShareProof {
  Digest challenge{};                 ///< a hash, from which all challenges come
  std::vector<std::uint8_t> answers;  ///< to them, packed
};

/// One party's message of one round.
class KeyShare {
 public:
  /// Of which round a message is.
  enum class Round : std::uint8_t { first = 1, second = 2 };

  /// basis: of the first round, the digest of all commitments; of the second, FirstRound::digest. bodies: as many items
  /// of 1 part over PQ, transformed, as `share_items` says.
  KeyShare(ContextPtr context, const Digest& session, std::uint32_t party, Round round, const Digest& basis,
           PolyArray bodies);
  KeyShare(const KeyShare&) = default;  // and no move: math/moved.hpp
  KeyShare& operator=(const KeyShare&) = default;

  const ContextPtr& context() const noexcept { return context_; }
  /// Of the session that it belongs to: ThresholdSession::digest.
  const Digest& session() const noexcept { return session_; }
  /// Who sent it.
  std::uint32_t party() const noexcept { return party_; }
  /// The round it is of.
  Round round() const noexcept { return round_; }
  /// Of the first round, the digest of the commitments after which it was sent; of the second, that of the first round
  /// that it answers.
  const Digest& basis() const noexcept { return basis_; }
  /// The polynomials.
  const PolyArray& bodies() const noexcept { return bodies_; }
  /// SHA-256 of all residues.
  const Digest& residues() const noexcept { return residues_; }
  /// Of a first share, the candidates that were not kept; none in a session without an audit.
  const Opened& opened() const noexcept { return opened_; }
  /// Takes these. Throws ArgumentError for a second share, or more candidates than a session has.
  void open(Opened opened);
  /// Of a second share, that it is drawn as it has to be; none in one that an earlier version made.
  const ShareProof& proof() const noexcept { return proof_; }
  /// Takes this. Throws ArgumentError for a first share.
  void prove(ShareProof proof);
  /// Its sender's, of `digest_of`; empty where parties don't sign.
  const std::vector<std::uint8_t>& signature() const noexcept { return signature_; }
  /// Takes that signature.
  void attach(std::vector<std::uint8_t> signature) { signature_ = std::move(signature); }

 private:
  ContextPtr context_;
  Digest session_;
  std::uint32_t party_;
  Round round_;
  Digest basis_;
  PolyArray bodies_;
  Digest residues_;
  Opened opened_;
  ShareProof proof_;
  std::vector<std::uint8_t> signature_;
};

/// Bytes of a signature.
inline constexpr std::size_t signature_bytes = 64;

/// SHA-256 of a share: session, party, round, what it stands on, all residues, what is opened, and the proof.
Digest digest_of(const KeyShare& share);
/// SHA-256 of a commitment: session, party and hash.
Digest digest_of(const Commitment& commitment);
/// What its sender has committed to if it follows the protocol: session, party and all residues; with an audit
/// `candidates_digest`, with the share as the candidate that the coin chose.
Digest committed(const KeyShare& share);
/// SHA-256 of one candidate for a first share: session, party, its number and all residues.
Digest candidate_digest(const Digest& session, std::uint32_t party, std::size_t candidate, const Digest& residues);
/// SHA-256 of the hashes of all candidates, to which a party commits.
Digest candidates_digest(const Digest& session, std::uint32_t party, std::span<const Digest> hashes);
/// What first shares stand on in a session with an audit: what all committed to, and the coin.
Digest chosen_digest(const Digest& commitments, const Digest& coin);
/// SHA-256 of what all parties of a session committed to, in their order: what first shares stand on, without an audit.
Digest commitments_digest(const ThresholdSession& session, std::span<const Digest> commitments);
/// The commitments of all parties, in their order. Throws MismatchError for those of another session, and ArgumentError
/// if one is missing or repeated.
std::vector<Digest> ordered(const ThresholdSession& session, std::span<const Commitment* const> commitments);

/// Polynomials in a share of a round.
std::size_t share_items(const ThresholdSession& session, KeyShare::Round round);

/// What all shares of the first round add up to, which everybody can compute.
class FirstRound {
 public:
  /// One share of every party. commitments: those of all parties in their order, where whoever asks has them; then a
  /// BlameError names who sent another share than it committed to. Throws MismatchError for shares of another session,
  /// or that do not stand on their commitments and one coin, and ArgumentError if one is missing, there twice, or of
  /// another round. What is opened is not drawn again: value::JointParty does that before it answers.
  FirstRound(ThresholdSession session, ContextPtr context, std::span<const KeyShare* const> shares,
             std::span<const Digest> commitments = {});

  /// The session that it is of.
  const ThresholdSession& session() const noexcept { return session_; }
  const ContextPtr& context() const noexcept { return context_; }
  /// Of all shares of the first round by party: shares of the second round carry it, the key's id comes of it, and the
  /// second round's common polynomials do.
  const Digest& digest() const noexcept { return digest_; }
  /// The joint key's id.
  KeyId key() const { return joint_key_id(session_.digest(), digest_); }
  /// What a party sent. Throws ArgumentError for somebody who takes no part.
  const KeyShare& share_of(std::uint32_t party) const;
  /// h_j and k_j, one after the other; none without a relinearisation key.
  ConstView relinearization() const;
  PublicKey public_key() const;
  /// The evaluation keys of the session; the shares of the second round are none without a relinearisation key. Throws
  /// as the constructor does, and MismatchError for shares that answer another first round.
  EvaluationKeys evaluation_keys(std::span<const KeyShare* const> second) const;

 private:
  ThresholdSession session_;
  ContextPtr context_;
  std::map<std::uint32_t, KeyShare> shares_;
  PolyArray sums_;
  Digest digest_;
};

/// SHA-256 of a session's second shares in order of parties, and so of everything before: what parties read out to each
/// other before they use the keys. Throws as FirstRound::evaluation_keys.
Digest transcript(const FirstRound& first, std::span<const KeyShare* const> second);

/// The secret key that a party has by its seed (PartyState). Its id belongs to the session.
SecretKey party_key(const ThresholdSession& session, const ContextPtr& context, std::uint32_t party, const Seed& seed);

/// What a party sends in the two rounds: always the same for the same secret. Throws MismatchError for a secret that is
/// not this party's. commitments: the digest of all parties', which it must have before it sends this.
KeyShare first_share(const ThresholdSession& session, std::uint32_t party, const SecretKey& secret,
                     const Digest& commitments);
/// The answer to one first round, whose errors are drawn for it, with its proof. A party answers once (PartyState):
/// this function, which keeps nothing, is for `value::JointParty`, which does. Throws ArgumentError, too, without a
/// relinearisation key in the session: there is no second round then.
KeyShare second_share(const FirstRound& first, std::uint32_t party, const SecretKey& secret);

}  // namespace cyclotome::rlwe
