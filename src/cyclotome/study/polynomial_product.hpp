// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/study/channel.hpp"

namespace cyclotome::study {

/// With what the residues of a product are computed.
enum class Arithmetic {
  words_32,   ///< one machine word: primes below 2^32 (paper 004: CRT)
  multi_word  ///< as many 64-bit words as the prime has, or the next power of two (paper 004: GMP, and CRT with GMP)
};

/// One product in Z_q[x]/(x^N + 1), step by step, so that each can be timed: integers -> residues -> product ->
/// integers. On one thread; not thread-safe.
class PolynomialProduct {
 public:
  /// Products by this room's own transforms. Throws ParameterError for primes that the arithmetic cannot hold.
  PolynomialProduct(const ProductContext& context, Arithmetic arithmetic);
  /// Products by an engine of the library, in 32-bit words if all primes are below 2^30. Throws ParameterError unless
  /// they are below 2^61.
  PolynomialProduct(const ProductContext& context, const EnginePtr& engine);
  ~PolynomialProduct();
  PolynomialProduct(PolynomialProduct&&) noexcept;

  std::size_t degree() const noexcept { return degree_; }
  /// Words of a coefficient of the result.
  std::size_t limbs() const noexcept { return modulus_.size(); }

  /// Sets both factors: N integers each, of any size (they stand for their remainders), of which words are copied.
  /// Throws ArgumentError unless there are N times `limbs` words.
  void load(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t limbs);
  /// Integers of both factors -> residues.
  void decompose();
  /// Residues of both factors -> residues of the product; the factors stay. Throws ArgumentError before `decompose`.
  void multiply();
  /// Residues of the product -> integers in [0, q): equation 4.5, with the reduction modulo q that it lacks as printed
  /// (erratum 004-4). Throws ArgumentError before `multiply`.
  void reconstruct();

  // For schemes that stay in residues, as paper 004's BGV does; not by an engine, which throws ArgumentError.

  /// Sets factor 0 or 1 to N small integers of either sign. Throws ArgumentError for another number of them, another
  /// factor, or an integer whose magnitude reaches a prime.
  void set_small(std::size_t factor, std::span<const std::int32_t> values);
  /// Adds N such integers to the product. Throws ArgumentError as `set_small`, or before `multiply`.
  void add_small(std::span<const std::int32_t> values);
  /// Sets factor 0 or 1 to another product. Throws ArgumentError unless that is multiplied, in the same arithmetic
  /// modulo the same primes.
  void take(std::size_t factor, const PolynomialProduct& other);
  /// product = another product - product. Throws ArgumentError as `take`, or before `multiply`.
  void subtract_from(const PolynomialProduct& other);

  /// The product: N integers of limbs() words.
  const std::vector<std::uint64_t>& result() const noexcept { return result_; }

 private:
  class OnEngine;
  void require_small(std::span<const std::int32_t> values) const;
  void require_same(const PolynomialProduct& other) const;
  void set_factor(std::size_t factor);

  std::size_t degree_;
  std::vector<std::uint64_t> modulus_;  // q
  std::vector<std::unique_ptr<Channel>> channels_;
  std::unique_ptr<OnEngine> engine_;
  std::array<std::vector<std::uint64_t>, 2> integers_;
  std::size_t integer_limbs_ = 0;
  Sums sums_;
  std::vector<std::uint64_t> result_;
  std::uint64_t smallest_prime_ = 0;               // or 2^63, if that is less
  std::array<bool, 2> factors_set_{false, false};  // by `set_small` and `take`
  enum class Done { nothing, loaded, decomposed, multiplied } done_ = Done::nothing;
};

}  // namespace cyclotome::study
