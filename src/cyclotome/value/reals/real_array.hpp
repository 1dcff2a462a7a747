// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <initializer_list>

#include "cyclotome/scheme/ckks/operations.hpp"
#include "cyclotome/value/arrays/keyring.hpp"
#include "cyclotome/value/layout/layout.hpp"

namespace cyclotome::value {

/// Whether all numbers of an array are real, which is public.
enum class Field : std::uint8_t { real = 0, complex = 1 };
inline Field joined(Field a, Field b) { return a == Field::complex ? a : b; }  ///< of both

/// Public numbers of a shape, in C order.
struct Reals {
  Shape shape;           ///< lengths of the axes
  ckks::Numbers values;  ///< as many as that makes
  Field field;           ///< real: no imaginary parts

  /// One number, and a vector. No constructors: braces of whole numbers are integers.
  static Reals number(double value) { return {Shape{}, {value}, Field::real}; }
  static Reals vector(std::initializer_list<double> values) {
    return {Shape{values.size()}, ckks::Numbers(values.begin(), values.end()), Field::real};
  }
  /// Throws ArgumentError unless there are as many values as the shape says, and RangeError unless all are finite.
  Reals(Shape lengths, ckks::Numbers numbers, Field of);
  std::size_t last() const noexcept { return shape.empty() ? 1 : shape.back(); }  ///< length of the last axis
};

/// An n-dimensional array of encrypted real or complex numbers. Immutable; copies share their ciphertexts.
///
/// Every array says how wrong its numbers can be: `error` bounds what decryption gives against what exact arithmetic
/// gives on the numbers that were encrypted, for every program and all data within the stated bounds, up to the
/// probability that doc/noise.md states. Results that could leave what the parameters hold are a RangeError, products
/// for which no level is left a NoiseError.
///
/// The last axis lies in slots, n/2 numbers a ciphertext; a row of fewer is repeated from the next power of two on, so
/// that rotations turn it around. Arrays whose last axis has length 1, and scalars, are replicated.
class RealArray {
 public:
  /// From its parts. Throws ArgumentError unless the layout has as many ciphertexts; MismatchError for keys of another
  /// secret.
  RealArray(ckks::Approximate numbers, Layout layout, Field field, Keyring keys = {});

  const rlwe::ContextPtr& context() const { return numbers_.ciphertext.context(); }  ///< where it lies
  const rlwe::Parameters& parameters() const { return context()->parameters(); }     ///< its own
  const ckks::Approximate& numbers() const noexcept { return numbers_; }         ///< its ciphertexts, and their errors
  const Layout& layout() const noexcept { return layout_; }                      ///< where they stand
  const Shape& shape() const { return layout_.shape(); }                         ///< lengths of the axes
  Field field() const noexcept { return field_; }                                ///< of its numbers
  const Keyring& keys() const noexcept { return keys_; }                         ///< those that it knows
  const rlwe::KeyId& key() const noexcept { return numbers_.ciphertext.key(); }  ///< of the secret that decrypts it

  /// How wrong a number can be at most, and their root mean square over a ciphertext's slots.
  ckks::Error error() const { return numbers_.error(); }
  /// The largest magnitude of a number. Public.
  double bound() const noexcept { return numbers_.about.bound; }
  rlwe::Level level() const { return numbers_.level(); }             ///< one more than the products that are left
  std::size_t bytes() const { return numbers_.ciphertext.bytes(); }  ///< of its ciphertexts

  /// The same array that knows these keys too. Throws MismatchError for keys of another secret or context.
  RealArray with_keys(const Keyring& keys) const;
  /// The same array with its keys on another engine; `context` must have the same parameters (MismatchError).
  RealArray to(const rlwe::ContextPtr& context, const Keyring& keys) const;
  /// The same with a tighter bound on its numbers that the caller knows to hold; a looser one changes nothing. Errors
  /// of products follow from it, so they hold as long as it does. Throws RangeError unless it is above 0.
  RealArray assume_bound(double bound) const;
  /// The same numbers with fewer levels left. Throws ArgumentError above the present level and below 1.
  RealArray switch_to_level(std::size_t level) const;

 private:
  ckks::Approximate numbers_;
  Layout layout_;
  Field field_;
  Keyring keys_;
};

/// How an array of this shape is laid out: packed in slots, or replicated where there is nothing to pack.
Layout layout_of_reals(const rlwe::Parameters& parameters, const Shape& shape);
/// Numbers after which a row repeats itself: a power of two.
std::size_t period(const Layout& layout);
/// Whether there are slots that hold none of the array's numbers.
bool has_padding(const Layout& layout);
/// The axes that number ciphertexts.
Shape ciphertext_axes(const Layout& layout);

/// Numbers where they stand in slots, with zeros beside them; and back.
ckks::Numbers spread(const Reals& values, const Layout& layout);
Reals gathered(const ckks::Numbers& slots, const Layout& layout, Field field);

/// What every result passes: ciphertexts that hide something, encrypted anew with the public key if they don't
/// (TransparentError without one).
RealArray finished_reals(const char* operation, ckks::Approximate numbers, const Layout& layout, Field field,
                         const Keyring& keys);

}  // namespace cyclotome::value
