// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/key_check.hpp"

#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/rlwe/noise.hpp"

namespace cyclotome::rlwe {

namespace {

/// The squares' sum, and the largest |a(zeta)|^2, stay below these. `a` is small: its first limb tells all.
bool within(const PolyArray& a, double most_squares, double most_canonical_square) {
  const std::size_t n = a.degree();
  const std::uint64_t q = a.ring()->basis()[0];
  std::vector<std::int64_t> coefficients(n);
  with_word(a.word(), [&]<class W>(W) {
    std::vector<W> residues(n);
    a.engine()->download(residues.data(), a.view().template limb<W>(0, 0, 0), n * sizeof(W));
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t residue = residues[i];
      coefficients[i] = static_cast<std::int64_t>(residue - (q & mask_if<std::uint64_t>(residue > q / 2)));
    }
    secure_zero(residues.data(), n * sizeof(W));
  });
  std::int64_t squares = 0;
  for (const std::int64_t value : coefficients) squares += value * value;
  const double largest = CanonicalEmbedding::of(*a.ring()->shape()).largest_square(coefficients);
  secure_zero(coefficients.data(), n * sizeof(coefficients[0]));
  // Both are looked at, whatever the first says; the canonical norm's own rounding is left out of what passes.
  return (static_cast<unsigned>(static_cast<double>(squares) <= most_squares) &
          static_cast<unsigned>(largest <= most_canonical_square * (1 - 0x1p-30))) != 0;
}

double canonical_square(std::size_t degree, double variance) noexcept {
  const double factor = key_check_factor(degree);
  return static_cast<double>(degree) * variance * factor * factor;
}

}  // namespace

bool secret_is_fit(const PolyArray& s) {
  return within(s, most_secret_weight * static_cast<double>(s.degree()), canonical_square(s.degree(), 2.0 / 3.0));
}

bool error_is_fit(const PolyArray& e) {
  constexpr double variance = error_deviation * error_deviation;
  return within(e, most_error_square * variance * static_cast<double>(e.degree()),
                canonical_square(e.degree(), variance));
}

}  // namespace cyclotome::rlwe
