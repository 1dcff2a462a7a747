// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/canonical_embedding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/math/widest_vectors.hpp"
#include "cyclotome/ring/tables/norm_constants.hpp"

namespace cyclotome::rlwe {

namespace {

/// exp(i pi / 2^k), correctly rounded.
constexpr std::array<Root, 18> halvings = {{{-1, 0},
                                            {0, 1},
                                            {0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1},
                                            {0x1.d906bcf328d46p-1, 0x1.87de2a6aea963p-2},
                                            {0x1.f6297cff75cb0p-1, 0x1.8f8b83c69a60bp-3},
                                            {0x1.fd88da3d12526p-1, 0x1.917a6bc29b42cp-4},
                                            {0x1.ff621e3796d7ep-1, 0x1.91f65f10dd814p-5},
                                            {0x1.ffd886084cd0dp-1, 0x1.92155f7a3667ep-6},
                                            {0x1.fff62169b92dbp-1, 0x1.921d1fcdec784p-7},
                                            {0x1.fffd8858e8a92p-1, 0x1.921f0fe670071p-8},
                                            {0x1.ffff621621d02p-1, 0x1.921f8becca4bap-9},
                                            {0x1.ffffd88586ee6p-1, 0x1.921faaee6472ep-10},
                                            {0x1.fffff62161a34p-1, 0x1.921fb2aecb360p-11},
                                            {0x1.fffffd8858675p-1, 0x1.921fb49ee4ea6p-12},
                                            {0x1.ffffff621619cp-1, 0x1.921fb51aeb57cp-13},
                                            {0x1.ffffffd885867p-1, 0x1.921fb539ecf31p-14},
                                            {0x1.fffffff62161ap-1, 0x1.921fb541ad59ep-15},
                                            {0x1.fffffffd88586p-1, 0x1.921fb5439d73ap-16}}};

// Each value is made by the same operations whatever a machine does at once, so that it is the same on all of them.

/// Butterflies between values `half` apart, a multiple of 8.
CYCLOTOME_WIDEST_VECTORS void butterflies(double* __restrict x0, double* __restrict y0, double* __restrict x1,
                                          double* __restrict y1, const double* __restrict real,
                                          const double* __restrict imaginary, std::size_t half) {
  for (std::size_t k = 0; k < half / 8 * 8; ++k) {
    const double u = x0[k] - x1[k], v = y0[k] - y1[k];
    x0[k] += x1[k];
    y0[k] += y1[k];
    x1[k] = u * real[k] - v * imaginary[k];
    y1[k] = u * imaginary[k] + v * real[k];
  }
}

/// (x + i y)_j = (a_j + i b_j) times root number j, for a multiple of 8 values.
CYCLOTOME_WIDEST_VECTORS void twist(double* __restrict x, double* __restrict y, const std::int64_t* __restrict first,
                                    const std::int64_t* __restrict second, const double* __restrict real,
                                    const double* __restrict imaginary, std::size_t points) {
  for (std::size_t j = 0; j < points / 8 * 8; ++j) {
    const auto a = static_cast<double>(first[j]), b = static_cast<double>(second[j]);
    x[j] = a * real[j] - b * imaginary[j];
    y[j] = a * imaginary[j] + b * real[j];
  }
}

/// x^2 + y^2, or `largest` if that is larger: one instruction, no branch.
inline double larger_square(double largest, double x, double y) noexcept {
  const double u = magnitude(x), v = magnitude(y);
  const double square = u * u + v * v;
  return square > largest ? square : largest;
}

/// The largest square after the last three stages, whose butterflies lie within 8 values. Products with 1 and i are
/// exact and left out; `odd`: the roots number 1 and 3 of the first of them.
CYCLOTOME_WIDEST_VECTORS double finished(const double* __restrict x, const double* __restrict y, std::size_t points,
                                         const std::array<Root, 2>& odd) {
  double largest[4] = {};
  for (std::size_t start = 0; start < points; start += 8) {
    const double *const a = x + start, *const b = y + start;
    const double x0 = a[0] + a[4], x1 = a[1] + a[5], x2 = a[2] + a[6], x3 = a[3] + a[7];
    const double y0 = b[0] + b[4], y1 = b[1] + b[5], y2 = b[2] + b[6], y3 = b[3] + b[7];
    const double u1 = a[1] - a[5], v1 = b[1] - b[5], u3 = a[3] - a[7], v3 = b[3] - b[7];
    const double x4 = a[0] - a[4], y4 = b[0] - b[4], x6 = b[6] - b[2], y6 = a[2] - a[6];
    const double x5 = u1 * odd[0].real - v1 * odd[0].imaginary, y5 = u1 * odd[0].imaginary + v1 * odd[0].real;
    const double x7 = u3 * odd[1].real - v3 * odd[1].imaginary, y7 = u3 * odd[1].imaginary + v3 * odd[1].real;
    const auto last = [&](double p0, double q0, double p1, double q1, double p2, double q2, double p3, double q3) {
      const double r0 = p0 + p2, s0 = q0 + q2, r1 = p1 + p3, s1 = q1 + q3;
      const double r2 = p0 - p2, s2 = q0 - q2, r3 = q3 - q1, s3 = p1 - p3;
      largest[0] = larger_square(largest[0], r0 + r1, s0 + s1);
      largest[1] = larger_square(largest[1], r0 - r1, s0 - s1);
      largest[2] = larger_square(largest[2], r2 + r3, s2 + s3);
      largest[3] = larger_square(largest[3], r2 - r3, s2 - s3);
    };
    last(x0, y0, x1, y1, x2, y2, x3, y3);
    last(x4, y4, x5, y5, x6, y6, x7, y7);
  }
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

/// The sum of f(value) over all of them, one after the other; where each is at most `most` and no sum is rounded, in an
/// order that takes less time.
template <class F>
double sum_of(std::span<const std::int64_t> values, double most, const F& f) {
  constexpr std::size_t lanes = 8;
  if (values.size() % lanes == 0 && static_cast<double>(values.size()) * most < 0x1p53) {
    std::array<double, lanes> sums{};
    for (std::size_t i = 0; i < values.size(); i += lanes) {
      for (std::size_t j = 0; j < lanes; ++j) sums[j] += f(static_cast<double>(values[i + j]));
    }
    double sum = 0;
    for (const double part : sums) sum += part;
    return sum;
  }
  double sum = 0;
  for (const std::int64_t value : values) sum += f(static_cast<double>(value));
  return sum;
}

/// No number is subnormal. The last digit of a root counts 2^-(51 + j) at least in the stage of 2^j roots, and 2^-68
/// among the first factors of n = 2^17, so every number is a multiple of 2^-901: what is rounded is rounded to a
/// multiple of it again. Squares: least_magnitude.
class NegacyclicEmbedding final : public CanonicalEmbedding {
 public:
  explicit NegacyclicEmbedding(std::size_t degree);
  CanonicalSquares squares(std::span<const std::int64_t> coefficients, double most) const override;

 private:
  double largest_square(std::span<const std::int64_t> coefficients) const;

  std::size_t degree_;
  std::vector<double> twist_real_, twist_imaginary_;  // exp(i pi j / n), j < n/2
  std::vector<double> root_real_, root_imaginary_;    // by stage: exp(-2 pi i k / length), k < length/2
};

NegacyclicEmbedding::NegacyclicEmbedding(std::size_t degree) : degree_(degree) {
  const std::vector<Root> roots = half_turn_roots(degree);
  for (std::size_t j = 0; j < degree / 2; ++j) {
    twist_real_.push_back(roots[j].real);
    twist_imaginary_.push_back(roots[j].imaginary);
  }
  for (std::size_t half = degree / 4; half != 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      const Root& root = roots[k * (degree / half)];
      root_real_.push_back(root.real);
      root_imaginary_.push_back(root.imaginary);
    }
  }
}

/// The basis is orthogonal: the sum is n times that of the coefficients' squares.
CanonicalSquares NegacyclicEmbedding::squares(std::span<const std::int64_t> coefficients, double most) const {
  const double sum = sum_of(coefficients, most * most, [](double value) { return value * value; });
  return {largest_square(coefficients), sum * static_cast<double>(degree_)};
}

double NegacyclicEmbedding::largest_square(std::span<const std::int64_t> coefficients) const {
  // Of zeta and its conjugate one is exp(i pi (4l + 1)/n), where zeta^(n/2) = i: so the values are a transform of
  // length n/2 of (a_j + i a_{j+n/2}) exp(i pi j/n). Their order does not matter, which spares the bit reversal.
  const std::size_t points = degree_ / 2;
  std::vector<double> values(2 * points);
  double* const x = values.data();
  double* const y = x + points;
  const double *real = root_real_.data(), *imaginary = root_imaginary_.data();
  double largest = 0;
  if (points < 8) {
    for (std::size_t j = 0; j < points; ++j) {
      const auto a = static_cast<double>(coefficients[j]), b = static_cast<double>(coefficients[j + points]);
      x[j] = a * twist_real_[j] - b * twist_imaginary_[j];
      y[j] = a * twist_imaginary_[j] + b * twist_real_[j];
    }
    for (std::size_t half = points / 2; half != 0; half /= 2) {
      for (std::size_t start = 0; start < points; start += 2 * half) {
        for (std::size_t k = start; k < start + half; ++k) {
          const double u = x[k] - x[k + half], v = y[k] - y[k + half];
          x[k] += x[k + half];
          y[k] += y[k + half];
          x[k + half] = u * real[k - start] - v * imaginary[k - start];
          y[k + half] = u * imaginary[k - start] + v * real[k - start];
        }
      }
      real += half;
      imaginary += half;
    }
    for (std::size_t j = 0; j < points; ++j) largest = larger_square(largest, x[j], y[j]);
  } else {
    twist(x, y, coefficients.data(), coefficients.data() + points, twist_real_.data(), twist_imaginary_.data(), points);
    for (std::size_t half = points / 2; half >= 8; half /= 2) {
      for (std::size_t start = 0; start < points; start += 2 * half) {
        butterflies(x + start, y + start, x + start + half, y + start + half, real, imaginary, half);
      }
      real += half;
      imaginary += half;
    }
    largest = finished(x, y, points, {Root{real[1], imaginary[1]}, Root{real[3], imaginary[3]}});
  }
  secure_zero(values.data(), values.size() * sizeof(double));
  return largest;
}

}  // namespace

std::vector<Root> half_turn_roots(std::size_t n) {
  const unsigned bits = bit_length(n) - 1;
  std::vector<Root> roots(n, Root{1, 0});
  for (unsigned r = 0; r < bits; ++r) {
    const std::size_t high = std::size_t{1} << r;
    const Root step = halvings.at(bits - r);
    for (std::size_t j = 0; j < high; ++j) {
      const Root low = roots[j];
      roots[high + j] = {low.real * step.real - low.imaginary * step.imaginary,
                         low.real * step.imaginary + low.imaginary * step.real};
    }
  }
  return roots;
}

std::unique_ptr<const CanonicalEmbedding> negacyclic_embedding(const RingShape& ring) {
  if (ring.degree() < 4) {
    throw ParameterError(message("canonical norms modulo ", ring.modulus(), " are not known; take n >= 4"));
  }
  return std::make_unique<const NegacyclicEmbedding>(ring.degree());
}

const CanonicalEmbedding& CanonicalEmbedding::of(const RingShape& ring) {
  static std::mutex mutex;
  static std::map<std::pair<RingKind, std::uint64_t>, std::unique_ptr<const CanonicalEmbedding>> embeddings;
  const std::lock_guard lock(mutex);
  auto& slot = embeddings[{ring.kind(), ring.index()}];
  if (slot == nullptr) {
    slot = ring.kind() == RingKind::negacyclic ? negacyclic_embedding(ring) : cyclotomic_embedding(ring);
  }
  return *slot;
}

PlainNorms norms_of(const RingShape& ring, std::span<const std::int64_t> coefficients, double most) {
  const double one = sum_of(coefficients, most, [](double value) { return std::abs(value); });
  // Sums of up to 2^17 doubles err by less than 2^-36 of themselves.
  constexpr double up = 1 + 0x1p-36;
  const CanonicalSquares squares = CanonicalEmbedding::of(ring).squares(coefficients, most);
  const double mean = squares.sum / static_cast<double>(ring.degree());
  return {std::max(1.0, std::min(one * up, std::sqrt(squares.largest + 0x1p-40 * one * one))),
          std::max(1.0, std::sqrt(mean) * up), std::max(1.0, one * ring.geometry().turn * up)};
}

PlainNorms larger(const PlainNorms& a, const PlainNorms& b) noexcept {
  return {std::max(a.canonical, b.canonical), std::max(a.two, b.two), std::max(a.one, b.one)};
}

}  // namespace cyclotome::rlwe
