// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/key_check.hpp"

#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/rlwe/noise.hpp"

namespace cyclotome::rlwe {

namespace {

/// The sum of |a(zeta)|^2 over n, and the largest one, stay below these. `a` is small: its first limb tells all.
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
  const CanonicalSquares squares = CanonicalEmbedding::of(*a.ring()->shape()).squares(coefficients, any_magnitude);
  secure_zero(coefficients.data(), n * sizeof(coefficients[0]));
  // Both are looked at, whatever the first says; the canonical norm's own rounding is left out of what passes.
  return (static_cast<unsigned>(squares.sum <= most_squares * static_cast<double>(n)) &
          static_cast<unsigned>(squares.largest <= most_canonical_square * (1 - 0x1p-30))) != 0;
}

/// kappa^2 times the expected |a(zeta)|^2.
double canonical_square(std::size_t degree, double expected) noexcept {
  const double factor = key_check_factor(degree);
  return expected * factor * factor;
}

}  // namespace

bool secret_is_fit(const PolyArray& s) {
  const auto n = static_cast<double>(s.degree());
  return within(s, most_secret_weight * n, canonical_square(s.degree(), n * (2.0 / 3.0)));
}

bool error_is_fit(const PolyArray& e) {
  const double expected = static_cast<double>(e.ring()->shape()->errors().draws) * (error_deviation * error_deviation);
  return within(e, most_error_square * expected, canonical_square(e.degree(), expected));
}

}  // namespace cyclotome::rlwe
