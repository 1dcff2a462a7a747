// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/canonical_embedding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"

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

class NegacyclicEmbedding final : public CanonicalEmbedding {
 public:
  explicit NegacyclicEmbedding(std::size_t degree);
  CanonicalSquares squares(std::span<const std::int64_t> coefficients) const override;

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
CanonicalSquares NegacyclicEmbedding::squares(std::span<const std::int64_t> coefficients) const {
  double sum = 0;
  for (const std::int64_t value : coefficients) {
    const double magnitude = std::abs(static_cast<double>(value));
    sum += magnitude * magnitude;
  }
  return {largest_square(coefficients), sum * static_cast<double>(degree_)};
}

double NegacyclicEmbedding::largest_square(std::span<const std::int64_t> coefficients) const {
  // Of zeta and its conjugate one is exp(i pi (4l + 1)/n), where zeta^(n/2) = i: so the values are a transform of
  // length n/2 of (a_j + i a_{j+n/2}) exp(i pi j/n). Their order does not matter, which spares the bit reversal.
  const std::size_t points = degree_ / 2;
  std::vector<double> values(2 * points);
  double* const x = values.data();
  double* const y = x + points;
  for (std::size_t j = 0; j < points; ++j) {
    const auto a = static_cast<double>(coefficients[j]), b = static_cast<double>(coefficients[j + points]);
    x[j] = a * twist_real_[j] - b * twist_imaginary_[j];
    y[j] = a * twist_imaginary_[j] + b * twist_real_[j];
  }
  const double *real = root_real_.data(), *imaginary = root_imaginary_.data();
  for (std::size_t half = points / 2; half != 0; half /= 2) {
    for (std::size_t start = 0; start < points; start += 2 * half) {
      double* const __restrict x0 = x + start;
      double* const __restrict x1 = x0 + half;
      double* const __restrict y0 = y + start;
      double* const __restrict y1 = y0 + half;
      for (std::size_t k = 0; k < half; ++k) {
        const double u = x0[k] - x1[k], v = y0[k] - y1[k];
        x0[k] += x1[k];
        y0[k] += y1[k];
        x1[k] = u * real[k] - v * imaginary[k];
        y1[k] = u * imaginary[k] + v * real[k];
      }
    }
    real += half;
    imaginary += half;
  }
  double largest = 0;
  for (std::size_t j = 0; j < points; ++j) {
    const double square = x[j] * x[j] + y[j] * y[j];
    largest = square > largest ? square : largest;  // one instruction, no branch
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

PlainNorms norms_of(const RingShape& ring, std::span<const std::int64_t> coefficients) {
  double one = 0;
  for (const std::int64_t value : coefficients) one += std::abs(static_cast<double>(value));
  // Sums of up to 2^17 doubles err by less than 2^-36 of themselves.
  constexpr double up = 1 + 0x1p-36;
  const CanonicalSquares squares = CanonicalEmbedding::of(ring).squares(coefficients);
  const double mean = squares.sum / static_cast<double>(ring.degree());
  return {std::max(1.0, std::min(one * up, std::sqrt(squares.largest + 0x1p-40 * one * one))),
          std::max(1.0, std::sqrt(mean) * up), std::max(1.0, one * ring.geometry().turn * up)};
}

PlainNorms larger(const PlainNorms& a, const PlainNorms& b) noexcept {
  return {std::max(a.canonical, b.canonical), std::max(a.two, b.two), std::max(a.one, b.one)};
}

}  // namespace cyclotome::rlwe
