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

  /// Whether x meets what was prepared: the last axis has more than one value, and x's is packed in slots and as long,
  /// or one value, a constant for the row, as what `expand` makes. With other arrays operations take the integers.
  bool meets(const EncryptedArray& x) const;
  /// Whether anything was prepared: constants need no encoding.
  bool prepared() const noexcept { return !rows_.empty(); }

  /// As their integers would be; encoded once if `meets` says so.
  friend EncryptedArray multiply(const EncryptedArray& x, const PlainArray& w, const Options& options);
  friend EncryptedArray add(const EncryptedArray& x, const PlainArray& w, const Options& options);
  friend EncryptedArray subtract(const EncryptedArray& x, const PlainArray& w, const Options& options);
  friend EncryptedArray sum_of_products(const EncryptedArray& x, const PlainArray& w,
                                        std::span<const std::int64_t> axes, const Options& options);

 private:
  using Operation = Ciphertext (*)(const Ciphertext&, const rlwe::Plaintext&);
  Placed combined(const char* what, Operation operation, const Placed& x, const Keyring& keys, bool clean,
                  const Options& options) const;
  Placed summed(const EncryptedArray& x, const std::vector<std::size_t>& axes, const Options& options) const;

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
/// The sum of x w over these axes of the product (negative ones count from the end), with the bits of `multiply` and
/// `sum` where x meets what was prepared: rows are summed as they are multiplied, and no product takes memory.
EncryptedArray sum_of_products(const EncryptedArray& x, const PlainArray& w, std::span<const std::int64_t> axes,
                               const Options& options = {});

}  // namespace cyclotome::value
