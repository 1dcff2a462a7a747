// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion_terms.cuh"
#include "cyclotome/ring/tables/norm_constants.hpp"

// Values of small polynomials on the roots of the ring's polynomial, for NormChecks. Each sum and product is that of
// rlwe::CanonicalEmbedding, rounded by itself and never fused, so that a device takes and refuses the same keys as a
// host. No branch and no address depends on a coefficient. Works on the host too, for tests, by one thread.
namespace cyclotome::cuda {

using Complex = ComplexNumber;

CYCLOTOME_INLINE double product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
CYCLOTOME_INLINE double sum(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

CYCLOTOME_INLINE Complex plus(Complex a, Complex b) { return {sum(a.real, b.real), sum(a.imaginary, b.imaginary)}; }
CYCLOTOME_INLINE Complex minus(Complex a, Complex b) { return {sum(a.real, -b.real), sum(a.imaginary, -b.imaginary)}; }
CYCLOTOME_INLINE Complex times(Complex a, Complex b) {
  return {sum(product(a.real, b.real), -product(a.imaginary, b.imaginary)),
          sum(product(a.real, b.imaginary), product(a.imaginary, b.real))};
}
CYCLOTOME_INLINE double larger(double a, double b) { return a > b ? a : b; }
/// |a|^2, never subnormal.
CYCLOTOME_INLINE double square(Complex a) {
  const double u = sum(fabs(a.real), least_magnitude), v = sum(fabs(a.imaginary), least_magnitude);
  return sum(product(u, u), product(v, v));
}
/// What is less than least_product is 0.
CYCLOTOME_INLINE Complex without_least(Complex a) {
  constexpr double least = least_product;
  return {fabs(a.real) >= least ? a.real : 0.0, fabs(a.imaginary) >= least ? a.imaginary : 0.0};
}

/// The integer that a residue modulo q stands for.
CYCLOTOME_INLINE std::int64_t centred(std::uint64_t residue, std::uint64_t q) {
  return static_cast<std::int64_t>(residue - (residue > q / 2 ? q : 0));
}

/// Threads that compute together: `thread` of `threads`; all of them wait at `wait`.
struct OneThread {
  static constexpr unsigned thread = 0, threads = 1;
  void wait() const {}
};

// x^n + 1, as rlwe/noise/canonical_embedding.cpp has it: the values are a transform of n/2 points, of which every stage
// that is left works within pieces half as long. A thread takes the stages in groups, on points of its own; roots lie
// as exp(i pi j / n), j < n.

CYCLOTOME_INLINE void butterfly(Complex& low, Complex& high, Complex root) {
  const Complex difference = minus(low, high);
  low = plus(low, high);
  high = times(difference, root);
}

/// `Stages` stages of a thread's 2^Stages points, which lie 2^apart_bits from each other, the first of them number
/// `first` of its piece. 2^point_bits: n/2.
template <unsigned Stages>
CYCLOTOME_INLINE void butterflies(Complex (&p)[1u << Stages], const Complex* roots, unsigned point_bits,
                                  std::uint32_t first, unsigned apart_bits) {
#pragma unroll
  for (unsigned left = Stages; left-- > 0;) {
    const unsigned half = 1u << left, root_bits = point_bits + 1 - (apart_bits + left);
#pragma unroll
    for (unsigned low = 0; low < 1u << Stages; ++low) {
      if ((low & half) != 0) continue;
      const std::uint32_t k = first + ((low & (half - 1)) << apart_bits);
      butterfly(p[low], p[low + half], roots[k << root_bits]);
    }
  }
}

/// Points in a block's memory, with gaps: else threads would meet in one bank.
struct SpacedPoints {
  Complex* data;

  CYCLOTOME_INLINE static constexpr std::size_t size(std::size_t points) { return points + points / 8 + 1; }
  CYCLOTOME_INLINE Complex& operator[](std::uint32_t i) const { return data[i + i / 8]; }
};

/// What a group of stages does with its points: back where they were.
struct Kept {
  SpacedPoints z;
  template <unsigned Points>
  CYCLOTOME_INLINE void put(const Complex (&p)[Points], std::uint32_t start, unsigned apart_bits) {
#pragma unroll
    for (unsigned t = 0; t < Points; ++t) z[start + (t << apart_bits)] = p[t];
  }
};

/// After the last stage only the largest square is wanted.
struct LargestSquare {
  double found = 0;
  template <unsigned Points>
  CYCLOTOME_INLINE void put(const Complex (&p)[Points], std::uint32_t, unsigned) {
#pragma unroll
    for (unsigned t = 0; t < Points; ++t) found = larger(found, square(p[t]));
  }
};

/// The next `Stages` stages of 2^size_bits points, in pieces of 2^piece_bits.
template <unsigned Stages, class Threads, class Put>
CYCLOTOME_INLINE void stages(SpacedPoints z, const Complex* roots, unsigned point_bits, unsigned size_bits,
                             unsigned piece_bits, const Threads& at, Put& to) {
  const unsigned apart_bits = piece_bits - Stages;
  for (std::uint32_t i = at.thread; i < 1u << (size_bits - Stages); i += at.threads) {
    const std::uint32_t first = i & ((1u << apart_bits) - 1), start = ((i >> apart_bits) << piece_bits) + first;
    Complex p[1u << Stages];
#pragma unroll
    for (unsigned t = 0; t < 1u << Stages; ++t) p[t] = z[start + (t << apart_bits)];
    butterflies<Stages>(p, roots, point_bits, first, apart_bits);
    to.put(p, start, apart_bits);
  }
}

/// The largest square that this thread has found after all stages of 2^size_bits points, in pieces of 2^piece_bits.
template <class Threads>
CYCLOTOME_INLINE double largest_square(SpacedPoints z, const Complex* roots, unsigned point_bits, unsigned size_bits,
                                       unsigned piece_bits, const Threads& at) {
  Kept kept{z};
  for (; piece_bits > 3; at.wait()) {
    const unsigned taken = piece_bits % 3 == 0 ? 3 : piece_bits % 3;
    if (taken == 3) stages<3>(z, roots, point_bits, size_bits, piece_bits, at, kept);
    if (taken == 2) stages<2>(z, roots, point_bits, size_bits, piece_bits, at, kept);
    if (taken == 1) stages<1>(z, roots, point_bits, size_bits, piece_bits, at, kept);
    piece_bits -= taken;
  }
  LargestSquare largest;
  if (piece_bits == 3) stages<3>(z, roots, point_bits, size_bits, piece_bits, at, largest);
  if (piece_bits == 2) stages<2>(z, roots, point_bits, size_bits, piece_bits, at, largest);
  if (piece_bits == 1) stages<1>(z, roots, point_bits, size_bits, piece_bits, at, largest);
  return largest.found;
}

// Phi_m, as rlwe/noise/cyclotomic_embedding.cpp has it: lines along each axis are convolved with roots.

/// A convolution and its axis where kernels read them.
struct NormAxis {
  const std::uint32_t *starts, *offsets;
  const Complex *roots, *kernel;
  std::uint32_t length, lines;
  std::uint32_t padded_bits, block_lines;  ///< of a line; how many a block takes
};

/// `lines` lines of 2^padded_bits numbers each.
template <class Threads>
CYCLOTOME_INLINE void convolve_lines(Complex* z, const NormAxis& axis, std::uint32_t lines, const Threads& at) {
  const unsigned bits = axis.padded_bits;
  const std::uint32_t pairs = bits == 0 ? 0 : lines << (bits - 1);
  for (unsigned half_bits = bits; half_bits-- > 0;) {
    const std::uint32_t half = 1u << half_bits;
    for (std::uint32_t i = at.thread; i < pairs; i += at.threads) {
      const std::uint32_t k = i & (half - 1), low = 2 * i - k;
      const Complex root = axis.roots[k << (bits - 1 - half_bits)], difference = minus(z[low], z[low + half]);
      z[low] = plus(z[low], z[low + half]);
      z[low + half] = without_least(times(difference, {root.real, -root.imaginary}));
    }
    at.wait();
  }
  for (std::uint32_t i = at.thread; i < lines << bits; i += at.threads) {
    z[i] = without_least(times(z[i], axis.kernel[i & ((1u << bits) - 1)]));
  }
  at.wait();
  for (unsigned half_bits = 0; half_bits < bits; ++half_bits) {
    const std::uint32_t half = 1u << half_bits;
    for (std::uint32_t i = at.thread; i < pairs; i += at.threads) {
      const std::uint32_t k = i & (half - 1), low = 2 * i - k;
      const Complex high = without_least(times(z[low + half], axis.roots[k << (bits - 1 - half_bits)]));
      z[low + half] = minus(z[low], high);
      z[low] = plus(z[low], high);
    }
    at.wait();
  }
}

}  // namespace cyclotome::cuda
