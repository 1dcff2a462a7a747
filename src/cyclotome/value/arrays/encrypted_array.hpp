// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/keyring.hpp"
#include "cyclotome/value/arrays/waiting.hpp"
#include "cyclotome/value/layout/bound.hpp"

namespace cyclotome::value {

/// What an array and its copies have in common: their ciphertexts with fresh noise, once somebody made them.
struct RefreshedForm;

/// An n-dimensional array of encrypted integers, made by `encrypt`. Immutable; copies share their ciphertexts, and one
/// that was moved from is refused wherever it is used (ArgumentError).
///
/// Results of operations (elementwise.hpp, products.hpp, reductions.hpp, slots.hpp, shaping.hpp; value.hpp has them
/// all) are exact integers or a refusal: every array has a public bound on its values, which grows with each operation,
/// and one whose values could leave what the parameters hold is a RangeError; one whose noise could spoil them a
/// NoiseError.
class EncryptedArray {
 public:
  /// From its parts. Throws ArgumentError and MismatchError unless there is one channel for each plaintext modulus, all
  /// of one key and as many ciphertexts as the layout says; RangeError for a bound that the parameters don't hold.
  EncryptedArray(Placed placed, Bound bound, Keyring keys = {});
  /// Of products of 3 parts that wait (Waiting), unless there are no levels. Throws MissingKeyError without a key to
  /// relinearise.
  EncryptedArray(Placed placed, Bound bound, Keyring keys, Waiting::Levels levels);

  const rlwe::ContextPtr& context() const { return placed_.context(); }
  const rlwe::Parameters& parameters() const { return placed_.parameters(); }
  /// What everything but sums takes: products that wait are relinearised, once, when it is asked for.
  const Placed& placed() const { return waiting_ ? waiting_->two() : placed_.whole(); }
  const Channels& channels() const { return placed().channels; }
  /// What sums take: of 3 parts where products wait.
  const Placed& as_it_is() const { return waiting_ ? waiting_->three() : placed_.whole(); }
  bool waits() const noexcept { return waiting_ != nullptr; }
  /// How products that wait are relinearised; none where nothing waits.
  Waiting::Levels levels() const { return waiting_ ? waiting_->levels() : Waiting::Levels(); }
  const Layout& layout() const { return placed_.whole().layout; }
  const Bound& bound() const { return placed_.whole(), bound_; }
  const Keyring& keys() const { return placed_.whole(), keys_; }

  const Shape& shape() const { return layout().shape(); }
  std::size_t ndim() const { return shape().size(); }
  /// Id of the secret key that decrypts it.
  const rlwe::KeyId& key() const { return placed_.whole().channels.front().key(); }
  /// Bits by which the public bound on the noise may grow until `decrypt` refuses; negative: it refuses. Of products
  /// that wait as it is once they are relinearised.
  double noise_headroom() const;
  /// Number of ciphertext primes; where plaintext moduli differ in it, the highest.
  std::size_t level() const;
  /// Number of ciphertext primes of each channel.
  std::vector<rlwe::Level> channel_levels() const;
  /// Bytes of its ciphertexts, of two parts if they wait: what it is to send, before files pack it; the same however it
  /// is used.
  std::size_t bytes() const;
  /// Bytes that it takes in memory at present: with the transforms that are kept beside its ciphertexts, with both
  /// forms of products that waited, and with what was refreshed of it.
  std::size_t held_bytes() const;

  /// The same array that knows these keys too: what products, sums over slots and rotations take. Throws MismatchError
  /// for keys of another secret or context.
  EncryptedArray with_keys(const Keyring& keys) const;
  /// The same array without keys on another engine; `context` must have the same parameters (MismatchError). Products
  /// that wait are relinearised first.
  EncryptedArray to(const rlwe::ContextPtr& context) const;
  /// The same with keys of that engine. Products go on waiting, and what was refreshed is kept.
  EncryptedArray to(const rlwe::ContextPtr& context, const Keyring& keys) const;
  /// The same array without anything that waits.
  EncryptedArray settled() const;
  /// The same values with the fresh noise that they were once given where operations refresh (room.hpp): kept by an
  /// array and its copies. Nothing where they were not.
  std::optional<EncryptedArray> kept_refreshed() const;
  /// Keeps them.
  void keep_refreshed(const EncryptedArray& refreshed) const;
  /// The same array with another bound. Throws RangeError for one that the parameters don't hold.
  EncryptedArray with_bound(const Bound& bound) const;
  /// An array of its ciphertexts `numbers`, in that order, in another layout: no ciphertext changes, and what waits
  /// waits on.
  EncryptedArray taken(const Indices& numbers, const Layout& layout, const Bound& bound) const;
  /// Products that wait times an integer for each channel, whose size is below 2^29: they go on waiting, and share
  /// their relinearisation. Nothing if they are no such.
  std::optional<EncryptedArray> scaled(std::vector<std::int64_t> factors, const Bound& bound) const;
  /// The same plus ciphertexts of two parts, in another layout of as many. Nothing where these are not of the levels,
  /// correction factors and parts that are added as they are.
  std::optional<EncryptedArray> plus(const Channels& addend, const Layout& layout, const Bound& bound,
                                     const Keyring& keys) const;
  /// As it waits, without being computed: what it is a multiple and a sum of, whose residues and noise are others.
  EncryptedArray outline() const { return {placed_.whole(), bound_, keys_}; }
  /// The same array with its ciphertexts transformed, for products with plaintexts, which then take no transform of
  /// it; results are the same bits. In BGV as it is.
  EncryptedArray transformed() const;
  /// The same array as files have it: in BFV in coefficients, for products and rotations.
  EncryptedArray in_native_domain() const;
  /// Whether its ciphertexts are transforms: in BGV always, in BFV of products with plaintexts and their sums.
  bool is_transformed() const;
  /// The same values in at most `level` ciphertext primes: smaller, and in BGV faster. Throws ArgumentError above the
  /// present level and below 1.
  EncryptedArray switch_to_level(std::size_t level) const;
  /// The same values in as few primes as leave `headroom` bits of noise headroom, for each plaintext modulus: for a
  /// result that is only sent. As it is where none does. Throws ArgumentError for NaN.
  EncryptedArray switch_to_least_level(double headroom = 0) const;

 private:
  EncryptedArray(std::shared_ptr<const Waiting> waiting, Bound bound, Keyring keys);
  /// `to` of what waits.
  EncryptedArray waiting_on(const rlwe::ContextPtr& context, const Keyring& keys) const;
  /// Before its ciphertexts become others.
  void forget_refreshed();

  Placed placed_;  ///< of multiples and sums that wait what they are made of: the same but for residues and noise
  Bound bound_;
  Keyring keys_;
  std::shared_ptr<const Waiting> waiting_;
  std::shared_ptr<RefreshedForm> refreshed_;  ///< of arrays whose keys refresh
};

/// What every computed result has to pass: values that fit (RangeError), ciphertexts that hide something, encrypted
/// anew with the public key if they don't (TransparentError without one), and noise that decrypts (NoiseError). With
/// levels it is of products that wait, whose noise is that of relinearised ones.
EncryptedArray finished(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options, Waiting::Levels levels = {});
/// As `finished`, of products of ciphertexts and of turned ones, whose keys were switched. They hide what their
/// operands hid: no residue is looked at, and so no device waited for.
EncryptedArray switched(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options, Waiting::Levels levels = {});

/// Throws NoiseError if the array can't be decrypted, unless that is allowed.
void require_decryptable(const char* operation, const Channels& channels, const Options& options);
void require_decryptable(const char* operation, const EncryptedArray& x, const Options& options);

}  // namespace cyclotome::value
