// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cyclotome/ring/ring_shape.hpp"

namespace cyclotome::rlwe {

/// |a(zeta)|^2 over all roots zeta of a ring's polynomial.
struct CanonicalSquares {
  double largest;
  double sum;
};

/// Values of polynomials on the roots zeta of a ring's polynomial, in double precision: what canonical norms are made
/// of.
///
/// Nothing branches on a coefficient and no index depends on one, so secret polynomials may be looked at. Roots are
/// made by sums and products of committed constants, and these files are compiled without fused multiply-adds: one
/// polynomial has the same bits on every machine, on which the choice of keys depends (key_check.hpp).
class CanonicalEmbedding {
 public:
  virtual ~CanonicalEmbedding() = default;
  CanonicalEmbedding(const CanonicalEmbedding&) = delete;
  CanonicalEmbedding& operator=(const CanonicalEmbedding&) = delete;
  /// The one of a ring, made on first use and kept; thread-safe. Throws ParameterError for x^2 + 1.
  static const CanonicalEmbedding& of(const RingShape& ring);

  /// coefficients: n integers, of magnitude `most` at most, which is public: sums of small ones take less time. Never
  /// below the true numbers by more than 2^-40 (sum |a_i|)^2; the scratch is zeroised.
  virtual CanonicalSquares squares(std::span<const std::int64_t> coefficients, double most) const = 0;

 protected:
  CanonicalEmbedding() = default;
};

/// exp(i x), x a part of a turn.
struct Root {
  double real, imaginary;
};
/// exp(i pi j / n) for j < n, n = 2^bits up to 2^17: products of one constant for each bit of j.
std::vector<Root> half_turn_roots(std::size_t n);

/// Of x^n + 1, n >= 4, and of Phi_m.
std::unique_ptr<const CanonicalEmbedding> negacyclic_embedding(const RingShape& ring);
std::unique_ptr<const CanonicalEmbedding> cyclotomic_embedding(const RingShape& ring);

/// Norms of an integer polynomial: what it does to noise as a factor.
struct PlainNorms {
  double canonical = 1;  ///< max |m(zeta)|, never below the true one
  double two = 1;        ///< sqrt of the mean of |m(zeta)|^2; in x^n + 1 sqrt(sum of m_i^2)
  double one = 1;        ///< what coefficients grow by at most; in x^n + 1 the sum of |m_i|
};

/// Of any coefficients.
constexpr double any_magnitude = 0x1p63;
/// The norms of one polynomial, whose coefficients are of magnitude `most` at most; at least 1 each, as those of every
/// integer polynomial but 0.
PlainNorms norms_of(const RingShape& ring, std::span<const std::int64_t> coefficients, double most = any_magnitude);
/// The larger ones: norms for every item of a batch.
PlainNorms larger(const PlainNorms& a, const PlainNorms& b) noexcept;

}  // namespace cyclotome::rlwe
