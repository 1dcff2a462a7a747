// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/polynomials/carrier_transform.hpp"

#include <algorithm>
#include <bit>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome::study::ltv {

namespace {

/// Values that are neighbours in memory are transformed together: a cache line of eight.
constexpr unsigned lane_count = 8;

void transform_of(unsigned size, std::uint64_t* x) {
  switch (size) {
    case 2:
      return small_transform<2>(x);
    case 4:
      return small_transform<4>(x);
    case 8:
      return small_transform<8>(x);
    case 16:
      return small_transform<16>(x);
    case 32:
      return small_transform<32>(x);
    case 64:
      return small_transform<64>(x);
    default:
      return;
  }
}

/// Transforms of `size` values, value i of number c at a[i * stride + c]; then `twiddle(k, c)` multiplies each result.
template <class Twiddle>
void transform_columns(std::uint64_t* a, unsigned size, std::size_t stride, std::size_t count, Twiddle twiddle) {
  std::uint64_t tile[lane_count][64];
  for (std::size_t first = 0; first < count; first += lane_count) {
    const std::size_t lanes = std::min<std::size_t>(lane_count, count - first);
    for (unsigned i = 0; i < size; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) tile[lane][i] = a[i * stride + first + lane];
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) transform_of(size, tile[lane]);
    for (unsigned k = 0; k < size; ++k) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        a[k * stride + first + lane] = twiddle(tile[lane][k], k, first + lane);
      }
    }
  }
}

std::size_t checked(std::size_t points) {
  if (std::has_single_bit(points) && points >= CarrierTransform::least_points &&
      points <= CarrierTransform::most_points) {
    return points;
  }
  throw ParameterError(message("a transform of ", points,
                               " points modulo 2^64 - 2^32 + 1; there are powers of two from ",
                               CarrierTransform::least_points, " to ", CarrierTransform::most_points));
}

std::vector<std::uint64_t> powers_of_root(std::size_t points) {
  std::vector<std::uint64_t> powers(points, 1);
  const std::uint64_t root = carrier::root_of_order(points);
  for (std::size_t i = 1; i < points; ++i) powers[i] = carrier::multiply(powers[i - 1], root);
  return powers;
}

}  // namespace

CarrierTransform::CarrierTransform(std::size_t points)
    : CarrierTransform(checked(points), powers_of_root(checked(points))) {}

CarrierTransform::CarrierTransform(std::size_t points, std::vector<std::uint64_t> twiddles)
    : steps_(TransformSteps::of(checked(points))),
      twiddles_(std::move(twiddles)),
      inverse_of_points_(carrier::power(points, carrier::modulus - 2)) {
  if (twiddles_.size() != points) {
    throw ArgumentError(message(twiddles_.size(), " powers of a root for ", points, " points; one for each"));
  }
}

void CarrierTransform::forward(std::uint64_t* values) const {
  check_interrupt_often();
  const TransformSteps s = steps_;
  const std::size_t columns = static_cast<std::size_t>(s.columns) * s.rest;
  const std::uint64_t* const table = twiddles_.data();
  transform_columns(values, s.rows, columns, columns, [&](std::uint64_t x, unsigned k, std::size_t c) {
    const std::size_t twiddle = s.first_twiddle(k, static_cast<unsigned>(c / s.rest));
    return twiddle == 0 ? x : carrier::multiply(x, table[twiddle]);
  });
  // Row k now holds the values of columns * rest; its transform along columns gives k + rows * (0, 1, ...).
  ZeroisingVector<std::uint64_t> ordered(points());
  const std::size_t inner = static_cast<std::size_t>(s.rows) * s.columns;
  for (unsigned k = 0; k < s.rows; ++k) {
    transform_columns(values + k * columns, s.columns, s.rest, s.rest, [&](std::uint64_t x, unsigned l, std::size_t r) {
      const std::size_t twiddle = s.second_twiddle(k + s.rows * l, static_cast<unsigned>(r));
      return twiddle == 0 ? x : carrier::multiply(x, table[twiddle]);
    });
    for (unsigned l = 0; l < s.columns; ++l) {
      for (unsigned r = 0; r < s.rest; ++r) {
        ordered[r * inner + k + static_cast<std::size_t>(s.rows) * l] = values[k * columns + l * s.rest + r];
      }
    }
  }
  if (s.rest > 1) {
    transform_columns(ordered.data(), s.rest, inner, inner, [](std::uint64_t x, unsigned, std::size_t) { return x; });
  }
  std::ranges::copy(ordered, values);
}

void CarrierTransform::inverse(std::uint64_t* values) const {
  std::reverse(values + 1, values + points());
  forward(values);
  for (std::size_t i = 0; i < points(); ++i) values[i] = carrier::multiply(values[i], inverse_of_points_);
}

}  // namespace cyclotome::study::ltv
