// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/joint/secret_sharing.hpp"
#include "cyclotome/value/arrays/encrypted_array.hpp"

// Decryption by the parties of a joint key (doc/threshold.md). Each adds to its part of the phase an error that hides
// the noise by itself (rlwe/noise/flooding.hpp), after everything else: a share of t of n is multiplied by its Lagrange
// coefficient before, so that no error is ever multiplied.
namespace cyclotome::value {

/// What one party gives to decrypt one array with certain others: c1 times its part of the secret, flooded. Public to
/// whoever may know the values.
class DecryptionShare {
 public:
  /// What it says beside the polynomials.
  struct Facts {
    Digest session, array;              ///< of what is decrypted: `array_digest`
    rlwe::KeyId key{};                  ///< the joint key's id
    std::uint32_t party = 0;            ///< who gives it
    std::vector<std::uint32_t> active;  ///< who decrypt, ascending
    unsigned flooding_bits = 0;         ///< the statistical security that it was flooded for
    std::uint32_t epoch = 0;            ///< of the share of the joint secret that it was made with
    /// Whether two shares are for the same.
    bool operator==(const Facts&) const = default;
  };
  /// channels: for each plaintext modulus as many items of 1 part as the array has ciphertexts, over their level,
  /// coefficient domain.
  DecryptionShare(rlwe::ContextPtr context, Facts facts, std::vector<PolyArray> channels)
      : context_(std::move(context)), facts_(std::move(facts)), channels_(std::move(channels)) {}
  DecryptionShare(const DecryptionShare&) = default;  // and no move: math/moved.hpp
  DecryptionShare& operator=(const DecryptionShare&) = default;

  const rlwe::ContextPtr& context() const noexcept { return context_; }
  /// What it says beside the polynomials.
  const Facts& facts() const noexcept { return facts_; }
  const std::vector<PolyArray>& channels() const noexcept { return channels_; }

 private:
  rlwe::ContextPtr context_;
  Facts facts_;
  std::vector<PolyArray> channels_;
};

/// SHA-256 of what a share is asked for, whoever gives it: session, key, array, set, flooding bits and epoch.
Digest question_of(const DecryptionShare::Facts& facts);

/// Ciphertexts of one plaintext modulus that an array is made of: what decrypting it counts as.
std::uint64_t ciphertexts_of(const EncryptedArray& x);

/// SHA-256 of key id, levels and residues of an array's ciphertexts: what parties compare before they decrypt.
Digest array_digest(const EncryptedArray& x);

/// SHA-256 of what shares say and of their residues: what a party commits to before it shows them.
Digest digest_of(std::span<const DecryptionShare> shares);

/// A party's share. key: the joint key's id, as the party knows it. share: what it was dealt, where fewer than all
/// parties decrypt; else null. Asked twice, it is the same. Throws ArgumentError for parties that can't decrypt
/// together, ciphertexts of 3 parts and flooding_bits outside [1, 128]; MismatchError for keys of something else;
/// NoiseError where the array's bound leaves no room for the flooding.
DecryptionShare decryption_share(const rlwe::ThresholdSession& session, const rlwe::KeyId& key, std::uint32_t party,
                                 const rlwe::SecretKey& secret, const rlwe::SecretShare* share, const EncryptedArray& x,
                                 std::vector<std::uint32_t> active, unsigned flooding_bits,
                                 const Options& options = {});

/// The values. Throws MismatchError for shares of another session, array, set of parties or flooding; ArgumentError
/// unless there is one of each party of the set; ContradictionError if they give more noise than flooding explains:
/// one was altered, or is no honest one.
Integers threshold_decrypt(const rlwe::ThresholdSession& session, const EncryptedArray& x,
                           std::span<const DecryptionShare* const> shares, const Options& options = {});

/// Whom decryptions of one array by several sets name: those who were in every set that failed, and in none that
/// passed, ascending. With one liar, swapping one party at a time leaves that one; several may leave nobody. Throws
/// ArgumentError where no set failed.
std::vector<std::uint32_t> liars(std::span<const std::vector<std::uint32_t>> failed,
                                 std::span<const std::vector<std::uint32_t>> passed = {});

}  // namespace cyclotome::value
