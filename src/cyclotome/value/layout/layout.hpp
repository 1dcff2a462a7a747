// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cyclotome/math/moved.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"
#include "cyclotome/value/layout/shape.hpp"

namespace cyclotome::value {

/// Where an array's values stand.
///
/// Of a *packed* array the last axis lies within ciphertexts, cut into chunks of width() values; the other axes, in C
/// order, number the rows, and the chunks of a row follow each other.
enum class Placement : std::uint8_t {
  replicated = 0,   ///< every value has a ciphertext and is a constant polynomial, so it stands in every slot
  slots = 1,        ///< packed, value i of a chunk in slot i: arithmetic acts value by value
  coefficients = 2  ///< packed, value i in the coefficient of x^i: sums, and products with constants only
};

/// "packed in slots", "packed in coefficients", "replicated".
std::string to_string(Placement placement);

/// How many values a ciphertext holds, by how they are packed.
struct Widths {
  std::size_t slots;         ///< integers in slots
  std::size_t coefficients;  ///< integers as coefficients

  Widths(std::size_t in_slots, std::size_t in_coefficients) noexcept : slots(in_slots), coefficients(in_coefficients) {}
  /// As many in slots as in coefficients.
  Widths(std::size_t both) noexcept : Widths(both, both) {}
  explicit Widths(const rlwe::Parameters& parameters) noexcept : Widths(parameters.slots(), parameters.degree()) {}
  bool operator==(const Widths&) const noexcept = default;
};

/// How an array's values are spread over ciphertexts. Immutable; equal layouts mean the same.
class Layout {
 public:
  /// clean: where the last chunk of a packed row is not full, there are zeros behind its values. Throws ArgumentError
  /// for a shape that no array has: no axis to pack, or one that count_of refuses.
  Layout(Shape shape, const Widths& widths, Placement placement, bool clean = true);

  const Shape& shape() const {
    if (packed() && shape_.empty()) [[unlikely]]
      refuse_moved_from();
    return shape_;
  }
  const Widths& widths() const noexcept { return widths_; }
  /// Values that one of these ciphertexts holds; of a replicated array, that it would hold in slots.
  std::size_t width() const noexcept {
    return placement_ == Placement::coefficients ? widths_.coefficients : widths_.slots;
  }
  Placement placement() const noexcept { return placement_; }
  bool packed() const noexcept { return placement_ != Placement::replicated; }
  bool slots() const noexcept { return placement_ == Placement::slots; }
  /// True where there is no room beside the values, too.
  bool clean() const noexcept { return clean_; }

  /// The axes that number ciphertexts, without chunks.
  Shape outer() const { return {shape().begin(), shape().end() - (packed() ? 1 : 0)}; }
  /// The same and one more for the chunks of a row: one for each index of outer().
  Shape ciphertext_axes() const;
  /// Values along the packed axis; 1 if there is none.
  std::size_t length() const { return packed() ? shape().back() : 1; }
  /// Length of the last axis, whatever it is; 1 for a scalar.
  std::size_t last() const noexcept { return shape_.empty() ? 1 : shape_.back(); }
  /// Ciphertexts for each index of outer().
  std::size_t chunks() const { return (length() + width() - 1) / width(); }
  /// Number of ciphertexts, those of one plaintext modulus.
  std::size_t batch() const;
  /// Whether no chunk has room left.
  bool full() const { return packed() && length() == chunks() * width(); }

  Layout with_shape(Shape shape) const { return {std::move(shape), widths_, placement_, clean_}; }
  Layout with_clean(bool clean) const { return {shape(), widths_, placement_, clean}; }
  Layout placed(Shape shape, Placement placement, bool clean = true) const {
    return {std::move(shape), widths_, placement, clean};
  }
  bool operator==(const Layout&) const noexcept = default;

 private:
  Shape shape_;
  Widths widths_;
  Placement placement_;
  bool clean_;
};

}  // namespace cyclotome::value
