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
  /// The product: N integers of limbs() words.
  const std::vector<std::uint64_t>& result() const noexcept { return result_; }

 private:
  class OnEngine;

  std::size_t degree_;
  std::vector<std::uint64_t> modulus_;  // q
  std::vector<std::unique_ptr<Channel>> channels_;
  std::unique_ptr<OnEngine> engine_;
  std::array<std::vector<std::uint64_t>, 2> integers_;
  std::size_t integer_limbs_ = 0;
  Sums sums_;
  std::vector<std::uint64_t> result_;
  enum class Done { nothing, loaded, decomposed, multiplied } done_ = Done::nothing;
};

}  // namespace cyclotome::study
