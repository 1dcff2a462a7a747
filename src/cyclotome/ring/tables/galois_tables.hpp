// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/modulus.hpp"

namespace cyclotome {

/// re + im i in Z_p[i], i^2 = -1: both parts in [0, p).
template <LimbWord W>
struct alignas(2 * sizeof(W)) Gaussian {
  W re, im;
  constexpr bool operator==(const Gaussian&) const noexcept = default;
};

template <LimbWord W>
CYCLOTOME_HD constexpr Gaussian<W> multiply(Gaussian<W> a, Gaussian<W> b, const Modulus<W>& p) noexcept {
  const auto wide = [](W x, W y) { return static_cast<Wide<W>>(x) * y; };
  return {p.reduce_wide(wide(a.re, b.re) + wide(p.value() - a.im, b.im)),
          p.reduce_wide(wide(a.re, b.im) + wide(a.im, b.re))};
}

template <LimbWord W>
CYCLOTOME_HD constexpr Gaussian<W> add(Gaussian<W> a, Gaussian<W> b, const Modulus<W>& p) noexcept {
  return {p.add(a.re, b.re), p.add(a.im, b.im)};
}

template <LimbWord W>
CYCLOTOME_HD constexpr Gaussian<W> subtract(Gaussian<W> a, Gaussian<W> b, const Modulus<W>& p) noexcept {
  return {p.subtract(a.re, b.re), p.subtract(a.im, b.im)};
}

/// x/2 for an odd p: x in [0, p) -> [0, p) (paper 001, Section 4.2.3).
template <LimbWord W>
CYCLOTOME_HD constexpr W halve(W x, W p) noexcept {
  return static_cast<W>((x >> 1) + (((p >> 1) + 1) & static_cast<W>(W{0} - (x & 1))));
}

/// Constants of the discrete Galois transform of paper 000, Algorithm 1, for Z_p[x]/(x^n + 1): a(x) folds to the n/2
/// Gaussian residues a_j + i a_(j + n/2), a polynomial of degree below n/2 modulo y^(n/2) - i, and the transform
/// evaluates it at the roots of that modulus, y = h^(4k + 1) with h^(n/2) = i. The twist by h^j is merged into the
/// butterflies, as the twist of the negacyclic transform is.
///
/// Output k (0 <= k < n/2) is the value at h^(4 br(k) + 1), br over log2(n) - 1 bits.
///
/// Which primes have such an h (erratum 000-1: not all): p = 1 mod 4 needs p = 1 mod 2n, as the usual transform does;
/// p = 3 mod 4 needs n | p + 1.
template <LimbWord W>
struct GaloisTables {
  /// Throws ParameterError unless n >= 4 is a power of two and p < max_modulus<W> an odd prime with an h.
  GaloisTables(std::size_t degree, W modulus);

  std::size_t degree;
  Modulus<W> modulus;
  Gaussian<W> root;  ///< h; where p = 1 mod 4 it is the library's psi under i -> imaginary_unit (erratum 000-4)
  W imaginary_unit;  ///< psi^(n/2), a root of -1 modulo p; 0 where there is none (p = 3 mod 4)

  /// n/2 entries: the stage with m groups uses entries m ... 2m - 1, h^(n/(4m) (4 br(k) + 1)); and their inverses.
  std::vector<Gaussian<W>> roots, inverse_roots;
};

}  // namespace cyclotome
