// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "cyclotome/value/arrays/encrypted_array.hpp"
#include "cyclotome/value/arrays/options.hpp"

// Operations that refresh by themselves (Options::refresh_operands): those of their operands that are out of room are
// refreshed first, as late as possible. A result has room if it can be refreshed itself: one that only decrypts would
// be the last of its computation.
//
// What was refreshed is kept by the array (EncryptedArray::kept_refreshed), and serves its other uses: the next
// operation takes it in place of what it was, as a value that is updated by what was computed from it. Which operands
// are refreshed follows from bounds alone: a dry run does the same.
namespace cyclotome::value {

/// Whether results are more noise than a product of ciphertexts: where not even that has room, nothing is tried.
enum class Growth : std::uint8_t { any, product };

/// An operation on its operands, all of which may be others than it was given, with options that refresh nothing.
using RoomyOperation =
    std::function<std::vector<EncryptedArray>(std::span<const EncryptedArray* const>, const Options&)>;
/// Its results, refreshing operands first until they have room, or until nothing more helps. Throws what it throws; if
/// they can't be decrypted and nothing can be refreshed MissingKeyError without keys for it, UnsupportedError for
/// parameters that can't be refreshed, and NoiseError for operands that are too late for it.
std::vector<EncryptedArray> with_room(const char* operation, std::vector<const EncryptedArray*> operands,
                                      const Options& options, Growth growth, const RoomyOperation& compute);

/// `compute` of one or two arrays and options, likewise. An operation that is asked to refresh calls itself through it.
/// Of one and the same array twice it stays that.
template <class Compute>
EncryptedArray with_room(const char* operation, const EncryptedArray& x, const Options& options,
                         const Compute& compute) {
  return with_room(operation, {&x}, options, Growth::any,
                   [&](auto given, const Options& how) { return std::vector{compute(*given[0], how)}; })
      .front();
}
template <class Compute>
EncryptedArray with_room(const char* operation, const EncryptedArray& x, const EncryptedArray& y,
                         const Options& options, Growth growth, const Compute& compute) {
  return with_room(operation, {&x, &y}, options, growth,
                   [&](auto given, const Options& how) { return std::vector{compute(*given[0], *given[1], how)}; })
      .front();
}

/// x, refreshed if `headroom` says that what is computed from it would have no room, and that fresh noise helps; in as
/// few primes as its noise leaves. What takes more than one refresh goes on with RoomyProducts.
EncryptedArray with_room_for(const char* operation, const EncryptedArray& x, const Options& options,
                             const std::function<double(const EncryptedArray&)>& headroom);

/// Products within a function of ciphertexts that may take more than one refresh.
class RoomyProducts {
 public:
  /// reserve: bits of noise that products leave beside what a refresh takes, for sums of them times residues.
  RoomyProducts(const char* operation, const rlwe::EvaluationKeys& keys, const Options& options, double reserve)
      : operation_(operation), keys_(keys), options_(options), reserve_(reserve) {}

  /// a b, relinearised or of 3 parts, of refreshed factors where the product would have no room. The same object twice
  /// is a square.
  Ciphertext product(const Ciphertext& a, const Ciphertext& b, bool relinearize);
  /// a, refreshed if so many bits of noise more would leave it without room.
  Ciphertext with_room(const Ciphertext& a, double bits);
  /// What was refreshed of a ciphertext; itself if it was not.
  const Ciphertext& latest(const Ciphertext& a) const;

 private:
  bool refreshes() const { return options_.refresh_operands && keys_.encapsulation() != nullptr; }
  const Ciphertext& refreshed(const Ciphertext& a);

  const char* operation_;
  const rlwe::EvaluationKeys& keys_;
  const Options& options_;
  double reserve_;
  std::vector<std::pair<Ciphertext, Ciphertext>> kept_;  ///< as they were, whose memory stays theirs, and refreshed
};

}  // namespace cyclotome::value
