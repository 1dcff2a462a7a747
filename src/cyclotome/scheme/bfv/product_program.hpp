// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "cyclotome/program/builder.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"

namespace cyclotome::bfv {

/// What a product's program depends on, besides the context.
struct ProductShape {
  rlwe::PlainIndex plain;
  ProductMethod method;
  rlwe::Level level;  ///< where to multiply: that of the factors but for hps_over_q_leveled
  bool square;        ///< there is no second factor
  bool one_a, one_b;  ///< this factor is one ciphertext for all items
  bool relinearized;
  rlwe::Level from_a = top, from_b = top;  ///< where the factors were raised from (Ciphertext::raised_from)
  rlwe::Level switched = top;              ///< where to relinearise
  rlwe::Level of = top;                    ///< of the factors and the product

  static constexpr rlwe::Level top{std::numeric_limits<std::size_t>::max()};  ///< that of all primes
};

/// out = a b, coefficient domain. Operands: out (3 parts, 2 if relinearised), a, b (not of a square), key (if
/// relinearised).
program::ProgramPtr product_program(const Context& context, const ProductShape& shape);

/// Products by HPS in three steps, so that a factor is lifted once however often it occurs, and a sum of products is
/// rounded once.
enum class Factor : std::uint8_t { first, second };
/// out = a, of a level and raised from so many primes, as a first or second factor of products at another: 2 parts
/// over q p, transforms.
program::ProgramPtr lift_program(const Context& context, rlwe::PlainIndex plain, rlwe::Level of, rlwe::Level from,
                                 rlwe::Level level, Factor factor);
/// out (of a level, coefficients) = 3 parts over q p, a sum of products of such factors, rounded and raised.
program::ProgramPtr rounding_program(const Context& context, rlwe::PlainIndex plain, rlwe::Level of, rlwe::Level level);

}  // namespace cyclotome::bfv
