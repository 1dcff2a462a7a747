// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cyclotome/study/ltv/polynomials/small_transform.hpp"

namespace cyclotome::study::ltv {

/// How a transform of N = rows * columns * rest values is shared out among three steps (paper 002, Algorithm 1: 64, 64
/// and N/4096 for 16384, 32768 and 65536 points). Indices for host and device: value i of an input is
/// (row * columns + column) * rest + r.
struct TransformSteps {
  unsigned rows, columns, rest;

  CYCLOTOME_HD constexpr std::size_t points() const noexcept { return static_cast<std::size_t>(rows) * columns * rest; }
  /// points: a power of two from 64 to 65536.
  CYCLOTOME_HD static constexpr TransformSteps of(std::size_t points) noexcept {
    const auto many = static_cast<unsigned>(points / 64);
    return many <= 64 ? TransformSteps{64, many, 1} : TransformSteps{64, 64, many / 64};
  }
  /// Exponent of the N-th root by which the first step's result `k` of column `column` is multiplied.
  CYCLOTOME_HD constexpr std::size_t first_twiddle(unsigned k, unsigned column) const noexcept {
    return static_cast<std::size_t>(k) * column * rest;
  }
  /// The same of the second step's: value k of rows * columns, part r.
  CYCLOTOME_HD constexpr std::size_t second_twiddle(unsigned k, unsigned r) const noexcept {
    return static_cast<std::size_t>(k) * r;
  }
};

/// Number-theoretic transforms of N values modulo P (paper 002, Algorithm 1): N a power of two from 64 to 65536.
class CarrierTransform {
 public:
  static constexpr std::size_t least_points = 64, most_points = 65536;

  /// Throws ParameterError for another number of points.
  explicit CarrierTransform(std::size_t points);
  /// With a table of one's own, for tests of what a wrong one does.
  CarrierTransform(std::size_t points, std::vector<std::uint64_t> twiddles);

  std::size_t points() const noexcept { return steps_.points(); }
  const TransformSteps& steps() const noexcept { return steps_; }
  std::uint64_t root() const noexcept { return twiddles_[1]; }
  /// Powers of the root: N words.
  const std::vector<std::uint64_t>& twiddles() const noexcept { return twiddles_; }

  /// In place, natural order: A_k = sum a_i root^(i k). Values in [0, P).
  void forward(std::uint64_t* values) const;
  /// The inverse, 1/N included: the transform of A_0, A_(N-1), ..., A_1.
  void inverse(std::uint64_t* values) const;

 private:
  TransformSteps steps_;
  std::vector<std::uint64_t> twiddles_;
  std::uint64_t inverse_of_points_;
};

}  // namespace cyclotome::study::ltv
