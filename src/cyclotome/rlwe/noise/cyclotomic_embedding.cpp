// SPDX-License-Identifier: Apache-2.0
// Phi_m, m odd and squarefree: with units written as exponents the values are cyclic convolutions along the axes of the
// coefficients and the roots (ring/cyclotomic_ring.cpp); each is computed by transforms of a power of two.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/ring/tables/cyclotomic_index.hpp"
#include "cyclotome/rlwe/noise/norm_constants.hpp"

namespace cyclotome::rlwe {

namespace {

/// Complex numbers; zeroised when freed.
struct Line {
  explicit Line(std::size_t length) : real(length), imaginary(length) {}
  ~Line() {
    secure_zero(real.data(), real.size() * sizeof(double));
    secure_zero(imaginary.data(), imaginary.size() * sizeof(double));
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  std::vector<double> real, imaginary;
};

/// exp(2 pi i k / p) by Taylor's series around the nearest quarter turn: IEEE sums and products only.
Root root_of_unity(std::uint64_t k, std::uint64_t p) {
  constexpr double quarter_turn = 0x1.921fb54442d18p+0;
  const std::uint64_t quarter = (8 * k + p) / (2 * p);  // of 4k/p, rounded
  const auto rest = static_cast<double>(static_cast<std::int64_t>(4 * k) - static_cast<std::int64_t>(quarter * p));
  const double x = quarter_turn * rest / static_cast<double>(p), square = x * x;
  double cosine = 1, sine = x, even = 1, odd = x;
  for (int i = 1; i < 20; i += 2) {
    even *= -square / (i * (i + 1));
    odd *= -square / ((i + 1) * (i + 2));
    cosine += even;
    sine += odd;
  }
  switch (quarter % 4) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

/// x, or 0 if it is less than least_product; by its bits, without a branch.
inline double product_or_zero(double x) noexcept {
  constexpr std::uint64_t least = std::bit_cast<std::uint64_t>(least_product);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(bits & mask_if<std::uint64_t>((bits << 1 >> 1) >= least));
}

/// Cyclic convolution with the roots of one prime factor. No number is subnormal: each product is of a number that is 0
/// or at least least_product, and a constant whose last digit counts more than 2^-400.
class RootConvolution {
 public:
  explicit RootConvolution(const CyclotomicIndex::Axis& axis) : length_(axis.length()) {
    padded_ = std::has_single_bit(length_) ? length_ : std::bit_ceil(2 * length_ - 1);
    roots_ = half_turn_roots(std::max<std::size_t>(padded_ / 2, 1));
    Line kernel(padded_);
    for (std::size_t d = 0; d < length_; ++d) {
      const Root root = root_of_unity(axis.powers[d], axis.prime);
      put(kernel, d, root);
      if (padded_ != length_ && d != 0) put(kernel, padded_ - (length_ - d), root);  // as linear convolutions see it
    }
    split(kernel);
    for (std::size_t i = 0; i < padded_; ++i) {
      const auto scale = static_cast<double>(padded_);
      kernel_.push_back({kernel.real[i] / scale, kernel.imaginary[i] / scale});
    }
  }

  std::size_t length() const noexcept { return length_; }
  std::size_t padded() const noexcept { return padded_; }
  const std::vector<Root>& roots() const noexcept { return roots_; }
  const std::vector<Root>& kernel() const noexcept { return kernel_; }
  /// x: `padded` numbers, zeros behind `length`, where the result stands afterwards.
  void apply(Line& x) const noexcept {
    split(x);
    for (std::size_t i = 0; i < padded_; ++i) multiply(x, i, kernel_[i]);
    merge(x);
  }

 private:
  static void put(Line& x, std::size_t i, const Root& root) noexcept {
    x.real[i] = root.real;
    x.imaginary[i] = root.imaginary;
  }
  static void multiply(Line& x, std::size_t i, const Root& factor) noexcept {
    const double u = x.real[i], v = x.imaginary[i];
    x.real[i] = product_or_zero(u * factor.real - v * factor.imaginary);
    x.imaginary[i] = product_or_zero(u * factor.imaginary + v * factor.real);
  }
  static void add_and_subtract(Line& x, std::size_t low, std::size_t high) noexcept {
    const double u = x.real[high], v = x.imaginary[high];
    x.real[high] = x.real[low] - u;
    x.imaginary[high] = x.imaginary[low] - v;
    x.real[low] += u;
    x.imaginary[low] += v;
  }
  /// Transform of length `padded`, results in bit-reversed order; and back, without the factor.
  void split(Line& x) const noexcept {
    for (std::size_t half = padded_ / 2; half != 0; half /= 2) {
      for (std::size_t start = 0; start < padded_; start += 2 * half) {
        for (std::size_t k = 0; k < half; ++k) {
          add_and_subtract(x, start + k, start + half + k);
          const Root root = roots_[k * (roots_.size() / half)];
          multiply(x, start + half + k, {root.real, -root.imaginary});
        }
      }
    }
  }
  void merge(Line& x) const noexcept {
    for (std::size_t half = 1; half < padded_; half *= 2) {
      for (std::size_t start = 0; start < padded_; start += 2 * half) {
        for (std::size_t k = 0; k < half; ++k) {
          multiply(x, start + half + k, roots_[k * (roots_.size() / half)]);
          add_and_subtract(x, start + k, start + half + k);
        }
      }
    }
  }

  std::size_t length_, padded_ = 0;
  std::vector<Root> roots_;   // exp(2 pi i k / padded), k < padded/2
  std::vector<Root> kernel_;  // transformed, divided by padded
};

class CyclotomicEmbedding final : public CanonicalEmbedding {
 public:
  explicit CyclotomicEmbedding(const RingShape& ring) : index_(ring.index(), RingShape::max_degree) {
    for (const auto& axis : index_.axes()) convolutions_.emplace_back(axis);
  }
  const CyclotomicIndex& index() const noexcept { return index_; }
  const std::vector<RootConvolution>& convolutions() const noexcept { return convolutions_; }

  CanonicalSquares squares(std::span<const std::int64_t> coefficients, double /*most*/) const override {
    const std::size_t n = index_.degree();
    Line values(n);
    double one = 0;
    for (std::size_t i = 0; i < n; ++i) {
      values.real[i] = static_cast<double>(coefficients[i]);
      one += std::abs(values.real[i]);
    }
    for (std::size_t i = 0; i < convolutions_.size(); ++i) convolve(values, index_.axes()[i], convolutions_[i]);
    double largest = 0;
    std::array<double, norm_sums> sums{};
    for (std::size_t i = 0; i < n; ++i) {
      const double x = magnitude(values.real[i]), y = magnitude(values.imaginary[i]);
      const double square = x * x + y * y;
      largest = square > largest ? square : largest;  // one instruction, no branch
      sums[i % norm_sums] += square;
    }
    for (std::size_t half = norm_sums / 2; half != 0; half /= 2) {
      for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
    }
    const double error = norm_error * one * one;
    return {largest + error, sums[0] + static_cast<double>(n) * error};
  }

 private:
  static void convolve(Line& values, const CyclotomicIndex::Axis& axis, const RootConvolution& convolution) {
    Line line(convolution.padded());
    for (const std::uint32_t start : axis.starts) {
      for (std::size_t e = 0; e < convolution.length(); ++e) {
        line.real[e] = values.real[start + axis.offsets[e]];
        line.imaginary[e] = values.imaginary[start + axis.offsets[e]];
      }
      const auto end = static_cast<std::ptrdiff_t>(convolution.length());
      std::fill(line.real.begin() + end, line.real.end(), 0.0);
      std::fill(line.imaginary.begin() + end, line.imaginary.end(), 0.0);
      convolution.apply(line);
      for (std::size_t e = 0; e < convolution.length(); ++e) {
        values.real[start + axis.offsets[e]] = line.real[e];
        values.imaginary[start + axis.offsets[e]] = line.imaginary[e];
      }
    }
  }

  CyclotomicIndex index_;
  std::vector<RootConvolution> convolutions_;
};

}  // namespace

void fill_cyclotomic(NormConstants& constants, const RingShape& ring) {
  const auto& embedding = dynamic_cast<const CyclotomicEmbedding&>(CanonicalEmbedding::of(ring));
  const auto numbers = [](const std::vector<Root>& roots) {
    std::vector<ComplexNumber> made;
    for (const Root& root : roots) made.push_back({root.real, root.imaginary});
    return made;
  };
  constants.units = &embedding.index();
  for (const RootConvolution& each : embedding.convolutions()) {
    constants.convolutions.push_back({each.length(), each.padded(), numbers(each.roots()), numbers(each.kernel())});
  }
}

std::unique_ptr<const CanonicalEmbedding> cyclotomic_embedding(const RingShape& ring) {
  return std::make_unique<const CyclotomicEmbedding>(ring);
}

}  // namespace cyclotome::rlwe
