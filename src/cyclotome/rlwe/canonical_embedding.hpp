// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/ring/ring_shape.hpp"

namespace cyclotome::rlwe {

/// Values of polynomials on the roots zeta of a ring's polynomial, in double precision: what canonical norms are made
/// of. For x^n + 1, whose roots are the primitive 2n-th roots of unity; other rings are refused.
///
/// Nothing branches on a coefficient and no index depends on one, so secret polynomials may be looked at. Roots are
/// products of committed constants, and this file is compiled without fused multiply-adds: one polynomial has the same
/// bits on every machine, on which the choice of keys depends (key_check.hpp).
class CanonicalEmbedding {
 public:
  /// Throws ParameterError for a ring that is not x^n + 1, n >= 4.
  explicit CanonicalEmbedding(const RingShape& ring);
  /// The one of a ring, made on first use and kept; thread-safe.
  static const CanonicalEmbedding& of(const RingShape& ring);

  /// max |a(zeta)|^2 over all zeta; off by less than 2^-40 (sum |a_i|)^2. coefficients: n integers. The
  /// scratch is zeroised.
  double largest_square(std::span<const std::int64_t> coefficients) const;

 private:
  std::size_t degree_;
  std::vector<double> twist_real_, twist_imaginary_;  // exp(i pi j / n), j < n/2
  std::vector<double> root_real_, root_imaginary_;    // by stage: exp(-2 pi i k / length), k < length/2
};

/// Norms of an integer polynomial: what it does to noise as a factor.
struct PlainNorms {
  double canonical = 1;  ///< max |m(zeta)|, never below the true one
  double two = 1;        ///< sqrt(sum of m_i^2)
  double one = 1;        ///< sum of |m_i|
};

/// The norms of one polynomial; at least 1 each, as those of every integer polynomial but 0.
PlainNorms norms_of(const RingShape& ring, std::span<const std::int64_t> coefficients);
/// The larger ones: norms for every item of a batch.
PlainNorms larger(const PlainNorms& a, const PlainNorms& b) noexcept;

}  // namespace cyclotome::rlwe
