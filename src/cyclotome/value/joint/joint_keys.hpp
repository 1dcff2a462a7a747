// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/rlwe/joint/threshold_keys.hpp"
#include "cyclotome/value/arrays/keygen.hpp"
#include "cyclotome/value/joint/joint_party.hpp"
#include "cyclotome/value/joint/threshold_decryption.hpp"

// Keys of several parties as programs use them (doc/threshold.md): every party has objects of its own, and lists of
// what it was sent. What a message is made of is rlwe/joint/threshold_keys.hpp and rlwe/joint/secret_sharing.hpp.
namespace cyclotome::value {

/// A session of parties 1 to `parties`, which all agree on before there is a key, with a reference seed of the
/// operating system. threshold: how many of them decrypt together, 2 to all; 0 for all. options: the evaluation keys
/// that there will be. decryptions: ciphertexts that each party helps to decrypt in the key's life. audit: how many
/// candidates for its first share each party makes, 1 to 256; with 1 nobody sees malformed rotation keys. Throws what
/// `galois_elements` does, and ArgumentError for parties or a threshold that can't be, or more parties than the
/// parameters are for (Intent::parties).
rlwe::ThresholdSession threshold_session(const rlwe::Parameters& parameters, std::size_t parties,
                                         std::size_t threshold = 0, const KeyOptions& options = {},
                                         std::uint64_t decryptions = rlwe::usual_reveals,
                                         std::size_t audit = rlwe::usual_candidates);

/// The joint keys, from the key shares of all parties; second: none in a session without relinearisation key. Throws
/// ArgumentError if one is missing, repeated or of the other round; MismatchError for shares of another session or
/// second ones that answer other first ones; BlameError, which names whose second share is not proved by what it
/// carries.
JointKeys combine(const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context,
                  std::span<const rlwe::KeyShare> first, std::span<const rlwe::KeyShare> second = {});

/// The sum of what all parties dealt to `party`: **secret**, its share of the joint secret. Throws MismatchError for
/// shares of another session, and ArgumentError unless there is one of each dealer, to this party.
rlwe::SecretShare sum_of_dealt(const rlwe::ThresholdSession& session, std::uint32_t party,
                               std::span<const rlwe::SecretShare> dealt);

/// The values of an array, from the shares of all who decrypt. Throws MismatchError for shares of another session,
/// array, set of parties or flooding; ArgumentError unless there is one of each party of the set; ContradictionError if
/// they give more noise than flooding explains: one was altered, or is no honest one.
Integers threshold_decrypt(const rlwe::ThresholdSession& session, const EncryptedArray& x,
                           std::span<const DecryptionShare> shares, const Options& options = {});

}  // namespace cyclotome::value
