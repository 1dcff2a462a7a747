// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/ring/tables/cyclotomic_index.hpp"

// What values of small polynomials on the roots of a ring's polynomial are computed from, in double precision, and the
// rules that keep subnormal numbers, with which processors take longer, out of the way. Those who compute round each
// sum and product by itself, in the order that rlwe/noise/canonical_embedding.hpp has: one polynomial has the same bits
// on every machine and device, on which the choice of keys depends.
namespace cyclotome {

/// What |a(zeta)|^2 may be at most on each root zeta of a ring's polynomial, and in sum over all of them.
struct NormLimits {
  double largest;
  double sum;
};

struct ComplexNumber {
  double real, imaginary;
};

/// This is added to magnitudes before they are squared: the least square is no subnormal number, and of none that
/// matters a bit changes.
inline constexpr double least_magnitude = 0x1p-500;
/// |x|, and never less than least_magnitude: by a sum, of which no compiler makes a branch.
inline double magnitude(double x) noexcept { return std::abs(x) + least_magnitude; }

/// Over Phi_m parts of products below this are taken for 0, so that no product of what is left is subnormal.
inline constexpr double least_product = 0x1p-300;
/// Over Phi_m squares are added up in so many sums, of numbers so far apart, and these by halves.
inline constexpr std::size_t norm_sums = 256;
/// Over Phi_m this is added to each square, times (sum |a_i|)^2. Errors of a transform are below 2^-53 times its
/// stages, 4, and the root mean square of what it makes; over all axes of m <= 2^17 less than 2^-32 (sum |a_i|) at each
/// root. Upwards, so that nothing is taken for smaller.
inline constexpr double norm_error = 0x1p-30;

/// Of one ring.
struct NormConstants {
  struct Convolution {
    std::size_t length, padded;
    std::vector<ComplexNumber> roots;   ///< exp(2 pi i k / padded), k < padded/2, or 1
    std::vector<ComplexNumber> kernel;  ///< transformed, in bit-reversed order, divided by `padded`
  };

  RingKind kind;
  std::uint64_t index;
  /// Of x^n + 1: exp(i pi j / n), j < n.
  std::vector<ComplexNumber> half_turn;
  /// Over Phi_m; `convolutions` by axis of `units`.
  const CyclotomicIndex* units = nullptr;
  std::vector<Convolution> convolutions;
};

}  // namespace cyclotome
