// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "cyclotome/value/joint/joint_party.hpp"
#include "cyclotome/value/joint/pledge.hpp"

// Secret numbers that joint decryptions are checked with (doc/threshold.md, "Checked decryption").
namespace cyclotome::value {

/// What has become of such numbers: free; held by one answer to one question; or spent.
struct MacState {
  /// What such numbers can be.
  enum class Is : std::uint8_t { free, held, spent };
  Is is = Is::free;   ///< what these are
  Digest question{};  ///< that holds them
  Digest answer{};    ///< that holds them, too
  /// Of all three.
  bool operator==(const MacState&) const = default;
};

/// Where that is kept. One process at a time.
class MacStore {
 public:
  MacStore() = default;
  MacStore(const MacStore&) = delete;
  MacStore& operator=(const MacStore&) = delete;
  virtual ~MacStore() = default;

  /// Of the numbers with this digest. Throws MismatchError where it keeps what became of others.
  virtual MacState read(const Digest& numbers) = 0;
  /// When this returns the state is kept; when it throws, nothing has changed.
  virtual void write(const Digest& numbers, const MacState& state) = 0;
};

/// In memory: an object that is made anew has forgotten it.
std::shared_ptr<MacStore> mac_store_in_memory();

/// A party's part of the numbers α, made once for a key: nobody knows their sums. First all send `commitment`, then all
/// send `arrays`; then each makes a MacKey.
class MacShare {
 public:
  /// count: numbers; an altered share passes with at most p^-count, p the smallest prime factor of a plaintext modulus.
  /// None: as many as make that 2^-40. Throws ArgumentError for 0.
  MacShare(const rlwe::ThresholdSession& session, std::uint32_t party, const rlwe::Identity& identity,
           const rlwe::PublicKey& public_key, std::optional<std::size_t> count = std::nullopt);

  /// To be sent first.
  const Pledge& commitment() const noexcept { return commitment_; }
  /// To be sent once the commitments of all have arrived.
  const std::vector<EncryptedArray>& arrays() const noexcept { return arrays_; }

 private:
  std::vector<EncryptedArray> arrays_;
  Pledge commitment_;
};

/// The encrypted sums α of all parties' numbers. Copies share what has become of them.
///
/// A check that somebody falsified tells of α whoever sees its shares, also if it is never finished. So a party holds
/// the numbers from CheckedDecryption::reveal_check until CheckedDecryption::values has found nothing wrong, and checks
/// nothing else with them meanwhile; after a failure, never.
class MacKey {
 public:
  /// keys: the joint public key, and evaluation keys too if you like. commitments, arrays: of all parties. store: such
  /// as io::MacFile. Throws ArgumentError where a party's part is missing, or has another count; MismatchError for a
  /// commitment that its party did not sign, arrays that it was not of, and a store of other numbers; BlameError for a
  /// party that committed to two things.
  MacKey(const rlwe::ThresholdSession& session, const rlwe::Identities& identities, const Keyring& keys,
         std::span<const Pledge> commitments, const std::map<std::uint32_t, std::vector<EncryptedArray>>& arrays,
         std::shared_ptr<MacStore> store = mac_store_in_memory());

  /// The encrypted sums.
  const std::vector<EncryptedArray>& sums() const noexcept { return sums_; }
  /// SHA-256 that names them.
  const Digest& digest() const noexcept { return digest_; }
  /// Whether a check failed, which tells of α: it checks nothing any more.
  bool spent() const;

  /// Throws ContradictionError if the numbers are spent.
  void require_fresh() const;
  /// The same, and if another question holds them than this one.
  void require_fresh(const Digest& question) const;
  /// From now on one answer to this question alone. Throws ContradictionError where another one was given.
  void hold(const Digest& question, const Digest& answer) const;
  /// The check that holds them gave nothing but 0. Of another question nothing happens.
  void release(const Digest& question) const;
  /// What a failed check does.
  void spend() const;

 private:
  std::vector<EncryptedArray> sums_;
  Digest digest_{};
  std::shared_ptr<MacStore> store_;
};

/// SHA-256 of arrays' digests: `array_digest`.
Digest digest_of(std::span<const EncryptedArray> arrays);

}  // namespace cyclotome::value
