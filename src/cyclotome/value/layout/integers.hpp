// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "cyclotome/math/moved.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/value/layout/shape.hpp"

namespace cyclotome::value {

/// A signed integer of any size.
struct Integer {
  /// Without its sign.
  BigUnsigned magnitude;
  bool negative = false;  ///< never for zero

  Integer() = default;
  Integer(std::int64_t value);  // NOLINT(google-explicit-constructor): integers are integers
  explicit Integer(BigUnsigned size, bool below_zero = false);

  std::string to_string() const { return (negative ? "-" : "") + magnitude.to_string(); }
  bool operator==(const Integer&) const noexcept = default;
  std::strong_ordering operator<=>(const Integer& other) const noexcept;
  /// The opposite.
  Integer operator-() const { return Integer(magnitude, !negative); }
};
/// The sum.
Integer operator+(const Integer& a, const Integer& b);
/// The difference.
Integer operator-(const Integer& a, const Integer& b);
/// The product.
Integer operator*(const Integer& a, const Integer& b);

/// Numbers for people, in messages: in full while they are readable, then "about 2^72".
std::string shown(const BigUnsigned& value);
std::string shown(const Integer& value);

/// Integers that convert to std::int64_t without loss.
template <class T>
concept FitsWord = std::integral<T> && (std::signed_integral<T> || sizeof(T) < 8);

/// An array of plaintext integers of any width: what is encrypted, what comes back, and public operands. Values are
/// two's complement in words() 64-bit words each, the least significant first, so that one word is std::int64_t.
/// Memory is zeroised when it is freed. Doubles don't convert: integers only.
class Integers {
 public:
  /// Zeroised when they are freed.
  using Words = ZeroisingVector<std::uint64_t>;

  /// A scalar, of shape ().
  template <FitsWord T>
  Integers(T value) : Integers({}, 1, {static_cast<std::uint64_t>(static_cast<std::int64_t>(value))}) {}  // NOLINT
  Integers(const Integer& value) : Integers(Shape{}, std::span(&value, 1)) {}                             // NOLINT
  /// A vector, of shape (n,).
  Integers(std::initializer_list<std::int64_t> values) : Integers({values.size()}, std::span(values)) {}
  /// A vector of the range's values.
  template <std::ranges::sized_range Range>
    requires FitsWord<std::ranges::range_value_t<Range>>
  Integers(const Range& values) : Integers(row_of(values)) {}  // NOLINT(google-explicit-constructor)
  /// Values in C order. Throws ArgumentError if their number is not that of the shape.
  Integers(Shape shape, std::span<const std::int64_t> values);
  Integers(Shape shape, std::span<const Integer> values);
  /// Values as words. Throws ArgumentError as above. An empty array is possible here only, so that operations can
  /// refuse it in their own words.
  Integers(Shape shape, std::size_t words, Words data);

  const Shape& shape() const {
    if (shape_.empty() && data_.empty()) [[unlikely]]  // a scalar has a value
      refuse_moved_from();
    return shape_;
  }
  std::size_t ndim() const { return shape().size(); }
  std::size_t size() const noexcept { return words_ == 1 ? data_.size() : data_.size() / words_; }
  /// Length of the last axis; 1 for a scalar.
  std::size_t length() const { return shape().empty() ? 1 : shape_.back(); }
  std::size_t words() const noexcept { return words_; }
  const Words& data() const noexcept { return data_; }
  /// Value number i in C order, where words() is 1.
  std::int64_t word(std::size_t i) const { return static_cast<std::int64_t>(data_[i]); }
  std::span<const std::uint64_t> value_words(std::size_t i) const {
    return std::span(data_).subspan(i * words_, words_);
  }

  /// Value number i in C order.
  Integer operator[](std::size_t i) const;
  /// All values in C order. Throws RangeError if they take more than one word.
  std::vector<std::int64_t> to_int64() const;

  /// The magnitude of value number i in C order.
  BigUnsigned magnitude(std::size_t i) const { return (*this)[i].magnitude; }
  /// The largest magnitude; 0 for none. This and largest_sum don't branch on values, which may be secret.
  BigUnsigned largest() const;
  /// The largest sum of magnitudes along `axis` (0 or more).
  BigUnsigned largest_sum(std::size_t axis) const;
  /// Whether all values are equal; false for none.
  bool uniform() const;

  /// All values negated.
  Integers operator-() const;
  /// The same values in another shape of as many. Throws ArgumentError.
  Integers reshaped(Shape shape) const { return {std::move(shape), words_, data_}; }
  /// Values `indices` in a new shape.
  Integers taken(const Indices& indices, Shape shape) const;
  /// The same values in `words` words each; precondition: they fit.
  Integers resized(std::size_t words) const;

 private:
  template <class Range>
  static Integers row_of(const Range& values) {
    Words data;
    data.reserve(std::ranges::size(values));
    for (const auto value : values) data.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    const std::size_t count = data.size();
    return {{count}, 1, std::move(data)};
  }

  Shape shape_;
  std::size_t words_ = 1;
  Words data_;
};

/// Number of the first value that is not in [0, 2^bits); size() if all are. Branches on none but the one it names.
std::size_t first_wider_than(const Integers& values, unsigned bits);

}  // namespace cyclotome::value
