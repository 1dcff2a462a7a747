// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/study/transform/design.hpp"

namespace cyclotome::study {

class DesignTransforms;

/// Polynomials modulo x^n + 1 and one prime, transformed and multiplied on an engine, by the engine's transform: that
/// of a design (make_transform_engine, StudyEngine), or an engine's own. Immutable; may be shared between threads.
///
///     const auto engine = make_transform_engine(TransformDesign::hybrid, make_cpu_engine());
///     const PolynomialTransform d5(engine, 1024, 12289);
///     d5.multiply(a, b);
class PolynomialTransform {
 public:
  /// word: of residues on the engine, by default the narrower one that has the prime's transform.
  ///
  /// Throws ParameterError unless n is a power of two in [2, 2^17] and p a prime = 1 mod 2n, below 2^30 in 32-bit
  /// words, else 2^61; for a Galois transform also p = 3 mod 4 with n | p + 1, below 2^31 in 32-bit words (erratum
  /// 000-1: no other prime has a root). ArgumentError for degrees that the engine's design does not do.
  PolynomialTransform(EnginePtr engine, std::size_t degree, std::uint64_t prime,
                      std::optional<Word> word = std::nullopt);
  PolynomialTransform(const PolynomialTransform&) = default;  // and no move: math/moved.hpp
  PolynomialTransform& operator=(const PolynomialTransform&) = default;

  const EnginePtr& engine() const noexcept { return engine_; }
  std::size_t degree() const noexcept { return ring_->degree(); }
  std::uint64_t prime() const noexcept { return ring_->basis()[0]; }
  Word word() const noexcept { return ring_->word(); }
  /// Whether values are Gaussian: n/2 of them, real parts in the first n/2 words, imaginary parts in the others.
  bool gaussian() const noexcept { return gaussian_ != nullptr; }
  /// The root whose odd powers polynomials are evaluated at: psi; or h, real part and imaginary part.
  std::vector<std::uint64_t> root() const;
  /// Of value k: the exponent e of the root that it is the value at.
  std::vector<std::uint64_t> exponents() const;

  /// Any number of polynomials one after another, n residues in [0, p) each -> as many values; and back. Throws
  /// ArgumentError for a length that is no multiple of n, and for none; RangeError for a residue that is not below p.
  std::vector<std::uint64_t> forward(std::span<const std::uint64_t> coefficients) const;
  /// Back: n values each, in [0, p) -> as many coefficients.
  std::vector<std::uint64_t> inverse(std::span<const std::uint64_t> values) const;
  /// Products of values, one by one: those of polynomials. As many of both.
  std::vector<std::uint64_t> multiply_values(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) const;
  /// a b modulo x^n + 1 and p: transforms, products of values, and back. As many of both.
  std::vector<std::uint64_t> multiply(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) const;
  /// Nanoseconds of `repetitions` transforms in a row of `batch` polynomials, on the clock of the host, after one that
  /// warms up.
  std::uint64_t time(bool inverse, std::size_t batch, std::size_t repetitions) const;

 private:
  std::size_t count_of(std::span<const std::uint64_t> words) const;
  void to_values(View a) const;
  void to_coefficients(View a) const;
  void multiply_views(View out, ConstView a, ConstView b) const;

  EnginePtr engine_;
  RingPtr ring_;
  DesignTransforms* gaussian_;  ///< the engine, where its values are Gaussian
};

}  // namespace cyclotome::study
