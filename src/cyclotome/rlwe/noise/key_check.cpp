// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/key_check.hpp"

#include "cyclotome/engine/norm_checks.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/rlwe/noise/noise.hpp"
#include "cyclotome/rlwe/noise/norm_constants.hpp"

namespace cyclotome::rlwe {

namespace {

/// 1 if the item is within the limits, else 0. It is small: its first limb tells all.
template <LimbWord W>
std::uint64_t is_within(const PolyArray& a, std::size_t item, const NormLimits& limits) {
  const std::uint64_t q = a.ring()->basis()[0];
  ZeroisingVector<W> residues(a.degree());
  a.engine()->download(residues.data(), a.view().template limb<W>(item, 0, 0), residues.size() * sizeof(W));
  ZeroisingVector<std::int64_t> coefficients(residues.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const std::uint64_t residue = residues[i];
    coefficients[i] = static_cast<std::int64_t>(residue - (q & mask_if<std::uint64_t>(residue > q / 2)));
  }
  const CanonicalSquares squares = CanonicalEmbedding::of(*a.ring()->shape()).squares(coefficients, any_magnitude);
  // Both are looked at, whatever the first says.
  return static_cast<std::uint64_t>(squares.sum <= limits.sum) &
         static_cast<std::uint64_t>(squares.largest <= limits.largest);
}

/// most_squares: of the mean of |a(zeta)|^2, of which `expected` is expected.
NormLimits limits_of(std::size_t degree, double most_squares, double expected) noexcept {
  const double factor = key_check_factor(degree);
  // The canonical norm's own rounding is left out of what passes.
  return {expected * factor * factor * (1 - 0x1p-30), most_squares * static_cast<double>(degree)};
}

}  // namespace

KeyCheckUnderWay::KeyCheckUnderWay(const PolyArray& a, const NormLimits& limits) : found_(a.batch(), 0) {
  if (auto* const there = dynamic_cast<NormChecks*>(a.engine().get()); there != nullptr) {
    numbers_ = a.engine()->make_numbers(a.batch());
    there->check_norms(numbers_->view(), a.view(), norm_constants(*a.ring()->shape()), limits);
    return;
  }
  with_word(a.word(), [&]<class W>(W) {
    for (std::size_t item = 0; item < found_.size(); ++item) found_[item] = is_within<W>(a, item, limits);
  });
}

KeyCheckUnderWay KeyCheckUnderWay::of_secret(const PolyArray& s) {
  const auto n = static_cast<double>(s.degree());
  return {s, limits_of(s.degree(), most_secret_weight * n, n * (2.0 / 3.0))};
}

KeyCheckUnderWay KeyCheckUnderWay::of_error(const PolyArray& e) {
  const double expected = static_cast<double>(e.ring()->shape()->errors().draws) * (error_deviation * error_deviation);
  return {e, limits_of(e.degree(), most_error_square * expected, expected)};
}

bool KeyCheckUnderWay::passed() {
  if (numbers_ != nullptr) numbers_->take(found_.data());
  std::uint64_t all = 1;
  for (const std::uint64_t one : found_) all &= one;
  return all != 0;
}

}  // namespace cyclotome::rlwe
