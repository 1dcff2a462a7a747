// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// Whether there are slots of integers, which values are encoded for.
bool takes_plain_arrays(const rlwe::Parameters& parameters);
/// Throws ArgumentError for no values, UnsupportedError for parameters without slots of integers.
void require_plain(const char* operation, const rlwe::Parameters& parameters, const Integers& values);

/// Public integers, encoded once for slots and transformed for all ciphertext primes: products with many arrays need
/// neither again, and are the same bits. Takes the memory of half a ciphertext for each row. Immutable; copies share
/// what they hold.
class PlainArray {
 public:
  /// Throws ArgumentError for no values, UnsupportedError for parameters without slots of integers, MemoryLimitError.
  PlainArray(const rlwe::ContextPtr& context, Integers values, const Options& options = {});

  PlainArray(const PlainArray&) = default;  // and no move: math/moved.hpp
  PlainArray& operator=(const PlainArray&) = default;

  const rlwe::ContextPtr& context() const noexcept { return context_; }
  const Integers& values() const noexcept { return values_; }
  const Shape& shape() const noexcept { return values_.shape(); }
  /// Bytes of encodings and transforms.
  std::size_t bytes() const;

  /// As their integers would be, where the last axis has more than one value and x is packed in slots; with others by
  /// the integers.
  friend EncryptedArray multiply(const EncryptedArray& x, const PlainArray& w, const Options& options);
  friend EncryptedArray add(const EncryptedArray& x, const PlainArray& w, const Options& options);
  friend EncryptedArray subtract(const EncryptedArray& x, const PlainArray& w, const Options& options);

 private:
  using Operation = Ciphertext (*)(const Ciphertext&, const rlwe::Plaintext&);
  /// Whether encoded rows can meet x's.
  bool meets(const EncryptedArray& x) const;
  Placed combined(const char* what, Operation operation, const Placed& x, const Keyring& keys, bool clean,
                  const Options& options) const;

  rlwe::ContextPtr context_;
  Integers values_;
  Bound bound_;                        // of the values
  std::vector<rlwe::Plaintext> rows_;  // by channel; none of values that are constants
};

/// x w, value by value.
EncryptedArray multiply(const EncryptedArray& x, const PlainArray& w, const Options& options = {});
/// x + w.
EncryptedArray add(const EncryptedArray& x, const PlainArray& w, const Options& options = {});
/// x - w.
EncryptedArray subtract(const EncryptedArray& x, const PlainArray& w, const Options& options = {});

}  // namespace cyclotome::value
