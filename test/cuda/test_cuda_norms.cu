// SPDX-License-Identifier: Apache-2.0
// What kernels of the CUDA engine compute of a key's norms, on the host by one thread: the very bits that the host
// itself finds, in x^n + 1 and over Phi_m, however the points are spread. Needs no GPU.
#include <bit>
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cuda/steps/norms.cuh"
#include "cyclotome/rlwe/noise/norm_constants.hpp"

using namespace cyclotome;
using cuda::Complex;

namespace {

using Integers = std::vector<std::int64_t>;

std::mt19937_64 numbers(20261128);

/// A secret, an error, and what is far from both.
std::vector<Integers> polynomials(std::size_t n) {
  std::vector<Integers> made;
  for (const std::int64_t most : {1, 21, 65536}) {
    Integers a(n);
    for (auto& x : a) x = static_cast<std::int64_t>(numbers() % (2 * most + 1)) - most;
    made.push_back(a);
  }
  made.push_back(Integers(n, 1));
  made.push_back(Integers(n, 0));
  return made;
}

/// `begun` groups of three stages on points that lie apart, as several blocks have them; then all others.
double largest_of(const Integers& a, const std::vector<Complex>& roots, unsigned point_bits, unsigned begun) {
  const cuda::OneThread at;
  const std::uint32_t points = 1u << point_bits;
  std::vector<Complex> z(points), spaced(cuda::SpacedPoints::size(points));
  for (std::size_t j = 0; j < points; ++j) {
    z[j] = cuda::times({static_cast<double>(a[j]), static_cast<double>(a[j + points])}, roots[j]);
  }
  unsigned piece_bits = point_bits;
  for (; begun > 0; --begun, piece_bits -= 3) {
    const std::uint32_t apart = 1u << (piece_bits - 3);
    for (std::uint32_t i = 0; i < points / 8; ++i) {
      const std::uint32_t first = i % apart, start = i / apart * 8 * apart + first;
      Complex p[8];
      for (unsigned t = 0; t < 8; ++t) p[t] = z[start + t * apart];
      cuda::butterflies<3>(p, roots.data(), point_bits, first, piece_bits - 3);
      for (unsigned t = 0; t < 8; ++t) z[start + t * apart] = p[t];
    }
  }
  const cuda::SpacedPoints to{spaced.data()};
  for (std::uint32_t i = 0; i < points; ++i) to[i] = z[i];
  return cuda::largest_square(to, roots.data(), point_bits, point_bits, piece_bits, at);
}

TEST(squares_in_powers_of_two_are_the_hosts) {
  for (unsigned bits = 1; bits <= 16; ++bits) {
    const auto shape = RingShape::negacyclic(std::size_t{2} << bits);
    const auto& roots = rlwe::norm_constants(*shape).half_turn;
    for (const Integers& a : polynomials(shape->degree())) {
      const double right = rlwe::CanonicalEmbedding::of(*shape).squares(a, 0x1p16).largest;
      for (unsigned begun = 0; 3 * begun < bits; ++begun) {
        CHECK(std::bit_cast<std::uint64_t>(largest_of(a, roots, bits, begun)) == std::bit_cast<std::uint64_t>(right));
      }
    }
  }
}

TEST(squares_over_cyclotomic_rings_are_the_hosts) {
  for (const std::uint64_t m : {3, 7, 15, 105, 127, 257, 1285, 8191, 21845}) {
    const auto shape = RingShape::cyclotomic(m);
    const auto& constants = rlwe::norm_constants(*shape);
    const cuda::OneThread at;
    for (const Integers& a : polynomials(shape->degree())) {
      std::vector<Complex> values;
      double one = 0;
      for (const std::int64_t x : a) {
        values.push_back({static_cast<double>(x), 0});
        one += std::abs(static_cast<double>(x));
      }
      for (std::size_t i = 0; i < constants.convolutions.size(); ++i) {
        const auto& convolution = constants.convolutions[i];
        const auto& axis = constants.units->axes()[i];
        const cuda::NormAxis there{axis.starts.data(),
                                   axis.offsets.data(),
                                   convolution.roots.data(),
                                   convolution.kernel.data(),
                                   static_cast<std::uint32_t>(convolution.length),
                                   static_cast<std::uint32_t>(axis.starts.size()),
                                   static_cast<std::uint32_t>(std::countr_zero(convolution.padded)),
                                   1};
        std::vector<Complex> lines(axis.starts.size() * convolution.padded);
        for (std::size_t l = 0; l < axis.starts.size(); ++l) {
          for (std::size_t e = 0; e < convolution.length; ++e) {
            lines[l * convolution.padded + e] = values[axis.starts[l] + axis.offsets[e]];
          }
        }
        cuda::convolve_lines(lines.data(), there, there.lines, at);
        for (std::size_t l = 0; l < axis.starts.size(); ++l) {
          for (std::size_t e = 0; e < convolution.length; ++e) {
            values[axis.starts[l] + axis.offsets[e]] = lines[l * convolution.padded + e];
          }
        }
      }
      double largest = 0;
      std::vector<double> sums(norm_sums, 0);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double square = cuda::square(values[i]);
        largest = std::max(largest, square);
        sums[i % norm_sums] += square;
      }
      for (std::size_t half = norm_sums / 2; half != 0; half /= 2) {
        for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
      }
      const double more = norm_error * one * one;
      const auto right = rlwe::CanonicalEmbedding::of(*shape).squares(a, 0x1p16);
      CHECK(largest + more == right.largest);
      CHECK(sums[0] + static_cast<double>(a.size()) * more == right.sum);
    }
  }
}

}  // namespace

int main() { return check::run(); }
