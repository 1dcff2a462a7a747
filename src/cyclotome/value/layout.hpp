// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cyclotome/value/shape.hpp"

namespace cyclotome::value {

/// Where an array's values stand.
///
/// Of a *packed* array the last axis lies within ciphertexts, cut into chunks of n values; the other axes, in C order,
/// number the rows, and the chunks of a row follow each other.
enum class Placement : std::uint8_t {
  replicated = 0,   ///< every value has a ciphertext and is a constant polynomial, so it stands in every slot
  slots = 1,        ///< packed, value i of a chunk in slot i: arithmetic acts value by value
  coefficients = 2  ///< packed, value i in the coefficient of x^i: sums, and products with constants only
};

/// "packed in slots", "packed in coefficients", "replicated".
std::string to_string(Placement placement);

/// How an array's values are spread over ciphertexts. Immutable; equal layouts mean the same.
class Layout {
 public:
  /// width: the n values that a ciphertext holds. clean: where the last chunk of a packed row is not full, there are
  /// zeros behind its values. Throws ArgumentError for a shape that no array has: no axis to pack, or one that count_of
  /// refuses.
  Layout(Shape shape, std::size_t width, Placement placement, bool clean = true);

  const Shape& shape() const noexcept { return shape_; }
  std::size_t width() const noexcept { return width_; }
  Placement placement() const noexcept { return placement_; }
  bool packed() const noexcept { return placement_ != Placement::replicated; }
  bool slots() const noexcept { return placement_ == Placement::slots; }
  /// True where there is no room beside the values, too.
  bool clean() const noexcept { return clean_; }

  /// The axes that number ciphertexts, without chunks.
  Shape outer() const { return {shape_.begin(), shape_.end() - (packed() ? 1 : 0)}; }
  /// The same and one more for the chunks of a row: one for each index of outer().
  Shape ciphertext_axes() const;
  /// Values along the packed axis; 1 if there is none.
  std::size_t length() const noexcept { return packed() ? shape_.back() : 1; }
  /// Length of the last axis, whatever it is; 1 for a scalar.
  std::size_t last() const noexcept { return shape_.empty() ? 1 : shape_.back(); }
  /// Ciphertexts for each index of outer().
  std::size_t chunks() const noexcept { return (length() + width_ - 1) / width_; }
  /// Number of ciphertexts, those of one plaintext modulus.
  std::size_t batch() const;
  /// Whether no chunk has room left.
  bool full() const noexcept { return packed() && length() == chunks() * width_; }

  Layout with_shape(Shape shape) const { return {std::move(shape), width_, placement_, clean_}; }
  Layout with_clean(bool clean) const { return {shape_, width_, placement_, clean}; }
  Layout placed(Shape shape, Placement placement, bool clean = true) const {
    return {std::move(shape), width_, placement, clean};
  }
  bool operator==(const Layout&) const noexcept = default;

 private:
  Shape shape_;
  std::size_t width_;
  Placement placement_;
  bool clean_;
};

}  // namespace cyclotome::value
